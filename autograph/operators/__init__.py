"""What converted code calls at run time: `import autograph.operators as ag__`."""

from operator import iadd as iadd
from operator import iand as iand
from operator import ifloordiv as ifloordiv
from operator import ilshift as ilshift
from operator import imatmul as imatmul
from operator import imod as imod
from operator import imul as imul
from operator import ior as ior
from operator import ipow as ipow
from operator import irshift as irshift
from operator import isub as isub
from operator import itruediv as itruediv
from operator import ixor as ixor

from autograph.operators.calls import call as call
from autograph.operators.calls import converted as converted
from autograph.operators.comprehensions import dict_comp as dict_comp
from autograph.operators.comprehensions import each as each
from autograph.operators.comprehensions import generator as generator
from autograph.operators.comprehensions import list_comp as list_comp
from autograph.operators.comprehensions import set_comp as set_comp
from autograph.operators.contexts import context as context
from autograph.operators.control_flow import for_stmt as for_stmt
from autograph.operators.control_flow import if_stmt as if_stmt
from autograph.operators.control_flow import while_stmt as while_stmt
from autograph.operators.exceptions import assert_stmt as assert_stmt
from autograph.operators.exceptions import raise_stmt as raise_stmt
from autograph.operators.exceptions import stays_python as stays_python
from autograph.operators.exceptions import try_stmt as try_stmt
from autograph.operators.fstrings import formatted as formatted
from autograph.operators.fstrings import fstr as fstr
from autograph.operators.logic import all_true as all_true
from autograph.operators.logic import and_ as and_
from autograph.operators.logic import any_true as any_true
from autograph.operators.logic import if_exp as if_exp
from autograph.operators.logic import in_ as in_
from autograph.operators.logic import is_ as is_
from autograph.operators.logic import is_not as is_not
from autograph.operators.logic import not_ as not_
from autograph.operators.logic import not_in as not_in
from autograph.operators.logic import or_ as or_
from autograph.operators.matching import match_subject as match_subject
from autograph.operators.subscripts import aug_item as aug_item
from autograph.operators.subscripts import del_item as del_item
from autograph.operators.subscripts import remove_item as remove_item
from autograph.operators.subscripts import set_item as set_item
from autograph.operators.subscripts import store_item as store_item
from autograph.operators.subscripts import update_item as update_item
from autograph.operators.undefined import Undefined as Undefined
from autograph.operators.undefined import bound as bound
from autograph.operators.undefined import bound_free as bound_free

slice = slice  # for `x[a:b] = v`, where the user's module may have a `slice` of its own

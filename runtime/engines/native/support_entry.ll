; The C function that a decorated function is called by (PEP 590): it walks the tables of the traces that were
; used last, one after another, and runs the one that fits. Where none does, the call goes to `__call__`.
; See functions/native_entries.py, which writes the tables and appends `object.values` of this Python.
;
; The chain of a function is a tuple; its first item is a bytes object: { n, n addresses of tables }.
; Slots hold the arguments, borrowed, and behind them what was read along paths, owned.

; 0 parameters  1 how many of them may be given by position  2 their names  3 defaults  4 number of rows
; 5 rows  6 number of inputs  7 their slots  8 body  9 its first argument  10 number of results
; 11 what is made of them  12 by what  13 number of parts, or of leaves  14 slots of the leaves
%table = type { i64, i64, ptr, ptr, i64, ptr, i64, ptr, ptr, ptr, i64, i64, ptr, i64, ptr }
; what is asked, how many rows to skip where the answer is yes (0: a no is the answer), the slot, three words
%row = type { i16, i16, i32, ptr, ptr, i64 }

declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare i64 @PyList_Size(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyBytes_AsString(ptr)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyDict_GetItemWithError(ptr, ptr)
declare i64 @PyDict_Size(ptr)
declare i32 @PyDict_Next(ptr, ptr, ptr, ptr)
declare ptr @PyCell_Get(ptr)
declare ptr @PyObject_GetAttr(ptr, ptr)
declare ptr @PyObject_GetItem(ptr, ptr)
declare ptr @PySequence_GetItem(ptr, i64)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare i32 @PyObject_IsTrue(ptr)
declare ptr @PyFunction_GetCode(ptr)
declare ptr @PyFunction_GetDefaults(ptr)
declare ptr @PyFunction_GetKwDefaults(ptr)
declare i32 @PyContextVar_Get(ptr, ptr, ptr)
declare i32 @PyErr_ExceptionMatches(ptr)
declare void @PyErr_Clear()
declare ptr @PyErr_Occurred()
declare ptr @PyErr_NoMemory()
declare ptr @PyMem_Calloc(i64, i64)
declare void @PyMem_Free(ptr)
@object.True = external global i8
@object.None = external global i8
@object.unread = external global i8
@object.builders = external global i8
@object.call = external global i8
@type.int = external global i8
@type.dict = external global i8
@type.ndarray = external global i8

define internal void @drop(ptr %slots, i64 %from, i64 %to) {
entry:
  br label %next
next:
  %k = phi i64 [ %from, %entry ], [ %k1, %one ]
  %more = icmp slt i64 %k, %to
  br i1 %more, label %one, label %end
one:
  %at = getelementptr ptr, ptr %slots, i64 %k
  %o = load ptr, ptr %at
  call void @Py_DecRef(ptr %o)
  %k1 = add i64 %k, 1
  br label %next
end:
  ret void
}

; Put positional arguments, those by name and defaults into the slots. Names are the very objects.
define internal i1 @bind(ptr %it, ptr %args, i64 %n, ptr %names, ptr %slots) {
entry:
  %count = load i64, ptr %it
  %places.at = getelementptr %table, ptr %it, i32 0, i32 1
  %places = load i64, ptr %places.at
  %known.at = getelementptr %table, ptr %it, i32 0, i32 2
  %known = load ptr, ptr %known.at
  %defaults.at = getelementptr %table, ptr %it, i32 0, i32 3
  %defaults = load ptr, ptr %defaults.at
  %too.many = icmp sgt i64 %n, %places
  br i1 %too.many, label %no, label %fill
fill:
  %k = phi i64 [ 0, %entry ], [ %k1, %one ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %named
one:
  %given = icmp slt i64 %k, %n
  %from = select i1 %given, ptr %args, ptr %defaults
  %value.at = getelementptr ptr, ptr %from, i64 %k
  %value = load ptr, ptr %value.at
  %to = getelementptr ptr, ptr %slots, i64 %k
  store ptr %value, ptr %to
  %k1 = add i64 %k, 1
  br label %fill
named:
  %none = icmp eq ptr %names, null
  br i1 %none, label %check, label %measure
measure:
  %m = call i64 @PyTuple_Size(ptr %names)
  br label %name
name:
  %j = phi i64 [ 0, %measure ], [ %j1, %found ]
  %more.names = icmp slt i64 %j, %m
  br i1 %more.names, label %look, label %check
look:
  %this = call ptr @PyTuple_GetItem(ptr %names, i64 %j)
  br label %compare
compare:
  %p = phi i64 [ %n, %look ], [ %p1, %other ]
  %left = icmp slt i64 %p, %count
  br i1 %left, label %same, label %no
same:
  %known.one.at = getelementptr ptr, ptr %known, i64 %p
  %known.one = load ptr, ptr %known.one.at
  %is = icmp eq ptr %known.one, %this
  br i1 %is, label %found, label %other
other:
  %p1 = add i64 %p, 1
  br label %compare
found:
  %arg.k = add i64 %n, %j
  %arg.at = getelementptr ptr, ptr %args, i64 %arg.k
  %arg = load ptr, ptr %arg.at
  %slot.at = getelementptr ptr, ptr %slots, i64 %p
  store ptr %arg, ptr %slot.at
  %j1 = add i64 %j, 1
  br label %name
check:
  %c = phi i64 [ 0, %named ], [ 0, %name ], [ %c1, %set ]
  %more.checks = icmp slt i64 %c, %count
  br i1 %more.checks, label %look.at, label %yes
look.at:
  %checked.at = getelementptr ptr, ptr %slots, i64 %c
  %checked = load ptr, ptr %checked.at
  %unset = icmp eq ptr %checked, null
  br i1 %unset, label %no, label %set
set:
  %c1 = add i64 %c, 1
  br label %check
yes:
  ret i1 true
no:
  ret i1 false
}

; The call as Python makes it.
define internal ptr @slowly(ptr %self, ptr %args, i64 %n, ptr %names) {
entry:
  %few = alloca ptr, i64 32
  %none = icmp eq ptr %names, null
  br i1 %none, label %sum, label %measure
measure:
  %m = call i64 @PyTuple_Size(ptr %names)
  br label %sum
sum:
  %named = phi i64 [ 0, %entry ], [ %m, %measure ]
  %count = add i64 %n, %named
  %all = add i64 %count, 1
  %is.few = icmp sle i64 %all, 32
  br i1 %is.few, label %copy, label %allocate
allocate:
  %memory = call ptr @PyMem_Calloc(i64 %all, i64 8)
  %missing = icmp eq ptr %memory, null
  br i1 %missing, label %fail, label %copy
fail:
  %error = call ptr @PyErr_NoMemory()
  ret ptr %error
copy:
  %room = phi ptr [ %few, %sum ], [ %memory, %allocate ]
  store ptr %self, ptr %room
  br label %next
next:
  %k = phi i64 [ 0, %copy ], [ %k1, %one ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %call
one:
  %from = getelementptr ptr, ptr %args, i64 %k
  %o = load ptr, ptr %from
  %k1 = add i64 %k, 1
  %to = getelementptr ptr, ptr %room, i64 %k1
  store ptr %o, ptr %to
  br label %next
call:
  %positional = add i64 %n, 1
  %result = call ptr @PyObject_Vectorcall(ptr @object.call, ptr %room, i64 %positional, ptr %names)
  br i1 %is.few, label %done, label %free
free:
  call void @PyMem_Free(ptr %room)
  br label %done
done:
  ret ptr %result
}

; Has the array this dtype object, and this shape: the number of dimensions, and these?
define internal i1 @is_array(ptr %array, ptr %descr, ptr %shape) {
entry:
  %class.at = getelementptr i8, ptr %array, i64 8
  %class = load ptr, ptr %class.at
  %right.class = icmp eq ptr %class, @type.ndarray
  br i1 %right.class, label %look, label %no
look:
  %descr.at = getelementptr i8, ptr %array, i64 56
  %is.descr = load ptr, ptr %descr.at
  %right.descr = icmp eq ptr %is.descr, %descr
  %ndim.at = getelementptr i8, ptr %array, i64 24
  %ndim.32 = load i32, ptr %ndim.at
  %ndim = sext i32 %ndim.32 to i64
  %want = load i64, ptr %shape
  %right.ndim = icmp eq i64 %ndim, %want
  %both = and i1 %right.descr, %right.ndim
  %dims.at = getelementptr i8, ptr %array, i64 32
  %dims = load ptr, ptr %dims.at
  br i1 %both, label %next, label %no
next:
  %k = phi i64 [ 0, %look ], [ %k1, %one ]
  %more = icmp slt i64 %k, %want
  br i1 %more, label %one, label %yes
one:
  %k1 = add i64 %k, 1
  %dim.at = getelementptr i64, ptr %dims, i64 %k
  %dim = load i64, ptr %dim.at
  %want.at = getelementptr i64, ptr %shape, i64 %k1
  %want.dim = load i64, ptr %want.at
  %same = icmp eq i64 %dim, %want.dim
  br i1 %same, label %next, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; Are two objects of one class, of which Python alone says what is equal? 1, 0, or -1 with an exception.
define internal i32 @is_equal(ptr %x, ptr %y) {
entry:
  %x.class.at = getelementptr i8, ptr %x, i64 8
  %y.class.at = getelementptr i8, ptr %y, i64 8
  %x.class = load ptr, ptr %x.class.at
  %y.class = load ptr, ptr %y.class.at
  %alike = icmp eq ptr %x.class, %y.class
  br i1 %alike, label %compare, label %no
compare:
  %answer = call i32 @PyObject_RichCompareBool(ptr %x, ptr %y, i32 2)
  ret i32 %answer
no:
  ret i32 0
}

; Put the values of a dict into slots, where its keys are these in this order; how many there are: 0 for no.
define internal i64 @values(ptr %dict, ptr %keys, i64 %n, ptr %slots) {
entry:
  %place = alloca i64
  %key = alloca ptr
  %value = alloca ptr
  store i64 0, ptr %place
  %class.at = getelementptr i8, ptr %dict, i64 8
  %class = load ptr, ptr %class.at
  %is.dict = icmp eq ptr %class, @type.dict
  br i1 %is.dict, label %measure, label %no
measure:
  %size = call i64 @PyDict_Size(ptr %dict)
  %as.many = icmp eq i64 %size, %n
  br i1 %as.many, label %next, label %no
next:
  %k = phi i64 [ 0, %measure ], [ %k1, %take ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %look, label %yes
look:
  %some = call i32 @PyDict_Next(ptr %dict, ptr %place, ptr %key, ptr %value)
  %this = load ptr, ptr %key
  %want.at = getelementptr ptr, ptr %keys, i64 %k
  %want = load ptr, ptr %want.at
  %equal = call i32 @is_equal(ptr %this, ptr %want)
  %right = icmp eq i32 %equal, 1
  br i1 %right, label %take, label %lost
take:
  %o = load ptr, ptr %value
  call void @Py_IncRef(ptr %o)
  %to = getelementptr ptr, ptr %slots, i64 %k
  store ptr %o, ptr %to
  %k1 = add i64 %k, 1
  br label %next
lost:
  call void @drop(ptr %slots, i64 0, i64 %k)
  br label %no
yes:
  ret i64 %n
no:
  ret i64 0
}

; Are these slots all different objects?
define internal i1 @are_distinct(ptr %slots, ptr %which, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i1, %inner ]
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %first, label %yes
first:
  %a.slot.at = getelementptr i64, ptr %which, i64 %i
  %a.slot = load i64, ptr %a.slot.at
  %a.at = getelementptr ptr, ptr %slots, i64 %a.slot
  %a = load ptr, ptr %a.at
  br label %inner
inner:
  %j = phi i64 [ %i1, %first ], [ %j1, %second ]
  %others = icmp slt i64 %j, %n
  br i1 %others, label %second, label %outer
second:
  %b.slot.at = getelementptr i64, ptr %which, i64 %j
  %b.slot = load i64, ptr %b.slot.at
  %b.at = getelementptr ptr, ptr %slots, i64 %b.slot
  %b = load ptr, ptr %b.at
  %j1 = add i64 %j, 1
  %same = icmp eq ptr %a, %b
  br i1 %same, label %no, label %inner
yes:
  ret i1 true
no:
  ret i1 false
}

; Holds an object nothing of its own under the name? Its values stand beside it, at an index, or in a dict.
define internal i1 @lacks(ptr %o, i64 %place, ptr %name) {
entry:
  %index = and i64 %place, 65535
  %first = ashr i64 %place, 16
  %keyed = icmp eq i64 %index, 65535
  br i1 %keyed, label %dict, label %look
look:
  %values = call ptr @object.values(ptr %o, i64 %first)
  %none = icmp eq ptr %values, null
  br i1 %none, label %dict, label %beside
beside:
  %cell = getelementptr ptr, ptr %values, i64 %index
  %value = load ptr, ptr %cell
  %lacks = icmp eq ptr %value, null
  ret i1 %lacks
dict:
  %at = getelementptr i8, ptr %o, i64 -24
  %word = load ptr, ptr %at
  %empty = icmp eq ptr %word, null
  br i1 %empty, label %yes, label %is.it
is.it:
  %bits = ptrtoint ptr %word to i64
  %odd = trunc i64 %bits to i1 ; the address of values, in 3.12
  br i1 %odd, label %no, label %ask
ask:
  %found = call ptr @PyDict_GetItemWithError(ptr %word, ptr %name)
  %absent = icmp eq ptr %found, null
  ret i1 %absent
yes:
  ret i1 true
no:
  ret i1 false
}

; The number that Python gives to what a class is now; 0 where it has none.
define internal i64 @version(ptr %class) {
  %at = getelementptr i8, ptr %class, i64 384
  %tag = load i32, ptr %at
  %number = zext i32 %tag to i64
  ret i64 %number
}

; Copy what these slots hold.
define internal void @gather(ptr %to, ptr %slots, ptr %which, i64 %n) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %one, label %end
one:
  %which.i = getelementptr i64, ptr %which, i64 %i
  %s = load i64, ptr %which.i
  %s.at = getelementptr ptr, ptr %slots, i64 %s
  %o = load ptr, ptr %s.at
  %to.i = getelementptr ptr, ptr %to, i64 %i
  store ptr %o, ptr %to.i
  %i1 = add i64 %i, 1
  br label %next
end:
  ret void
}

; Do all rows hold? 1, 0, or -1 with an exception. %top: where the number of slots in use is kept.
define internal i32 @holds(ptr %it, ptr %slots, ptr %items, ptr %top.at) {
entry:
  %overflow = alloca i32
  %found = alloca ptr
  %begun = alloca i64
  %params = load i64, ptr %it
  store i64 %params, ptr %top.at
  %count.at = getelementptr %table, ptr %it, i32 0, i32 4
  %count = load i64, ptr %count.at
  %rows.at = getelementptr %table, ptr %it, i32 0, i32 5
  %first = load ptr, ptr %rows.at
  %end = getelementptr %row, ptr %first, i64 %count
  br label %row
row:
  %r = phi ptr [ %first, %entry ], [ %after, %fine ], [ %r1, %maybe ]
  %is.end = icmp eq ptr %r, %end
  br i1 %is.end, label %yes, label %do
do:
  %what = load i16, ptr %r
  %skip.p = getelementptr %row, ptr %r, i32 0, i32 1
  %skip = load i16, ptr %skip.p
  %slot.p = getelementptr %row, ptr %r, i32 0, i32 2
  %slot = load i32, ptr %slot.p
  %a.p = getelementptr %row, ptr %r, i32 0, i32 3
  %a = load ptr, ptr %a.p
  %b.p = getelementptr %row, ptr %r, i32 0, i32 4
  %b = load ptr, ptr %b.p
  %c.p = getelementptr %row, ptr %r, i32 0, i32 5
  %c = load i64, ptr %c.p
  %x.p = getelementptr ptr, ptr %slots, i32 %slot
  %x = load ptr, ptr %x.p ; of a row without a slot: whatever stands in the first
  switch i16 %what, label %no [ i16 1, label %class
                                i16 2, label %is
                                i16 3, label %int
                                i16 4, label %array
                                i16 5, label %float
                                i16 6, label %equal
                                i16 7, label %length
                                i16 8, label %code
                                i16 9, label %defaults
                                i16 10, label %kwdefaults
                                i16 11, label %context
                                i16 12, label %same
                                i16 13, label %distinct
                                i16 14, label %absent
                                i16 15, label %dict.holds
                                i16 16, label %lacks
                                i16 17, label %call
                                i16 18, label %version
                                i16 19, label %checked
                                i16 20, label %pop
                                i16 21, label %global
                                i16 22, label %cell
                                i16 23, label %attribute
                                i16 24, label %item
                                i16 25, label %constant
                                i16 26, label %at
                                i16 27, label %keys ]
fine:
  %skipped = zext i16 %skip to i64
  %next = add i64 %skipped, 1
  %after = getelementptr %row, ptr %r, i64 %next
  br label %row
maybe: ; where another row follows that knows more, it decides
  %last = icmp eq i16 %skip, 0
  %r1 = getelementptr %row, ptr %r, i64 1
  br i1 %last, label %no, label %row
class:
  %class.at = getelementptr i8, ptr %x, i64 8
  %class.of = load ptr, ptr %class.at
  %right.class = icmp eq ptr %class.of, %a
  br i1 %right.class, label %fine, label %maybe
is:
  %identical = icmp eq ptr %x, %a
  br i1 %identical, label %fine, label %maybe
int:
  %int.class.at = getelementptr i8, ptr %x, i64 8
  %int.class = load ptr, ptr %int.class.at
  %is.int = icmp eq ptr %int.class, @type.int
  br i1 %is.int, label %int.range, label %maybe
int.range:
  %ignored.int = call i64 @PyLong_AsLongLongAndOverflow(ptr %x, ptr %overflow)
  %how = load i32, ptr %overflow
  %fits = icmp eq i32 %how, 0
  br i1 %fits, label %fine, label %maybe
array:
  %is.array = call i1 @is_array(ptr %x, ptr %a, ptr %b)
  br i1 %is.array, label %fine, label %maybe
float: ; the same bits
  %x.class.at = getelementptr i8, ptr %x, i64 8
  %a.class.at = getelementptr i8, ptr %a, i64 8
  %x.class = load ptr, ptr %x.class.at
  %a.class = load ptr, ptr %a.class.at
  %both.floats = icmp eq ptr %x.class, %a.class
  br i1 %both.floats, label %float.bits, label %maybe
float.bits:
  %x.bits.at = getelementptr i8, ptr %x, i64 16
  %a.bits.at = getelementptr i8, ptr %a, i64 16
  %x.bits = load i64, ptr %x.bits.at
  %a.bits = load i64, ptr %a.bits.at
  %same.bits = icmp eq i64 %x.bits, %a.bits
  br i1 %same.bits, label %fine, label %maybe
equal:
  %is.equal = call i32 @is_equal(ptr %x, ptr %a)
  %are.equal = icmp eq i32 %is.equal, 1
  br i1 %are.equal, label %fine, label %unread
length:
  %length.at = getelementptr i8, ptr %x, i64 16
  %length.of = load i64, ptr %length.at
  %same.length = icmp eq i64 %length.of, %c
  br i1 %same.length, label %fine, label %maybe
code:
  %code.of = call ptr @PyFunction_GetCode(ptr %a)
  %same.code = icmp eq ptr %code.of, %b
  br i1 %same.code, label %fine, label %maybe
defaults:
  %defaults.of = call ptr @PyFunction_GetDefaults(ptr %a)
  %same.defaults = icmp eq ptr %defaults.of, %b
  br i1 %same.defaults, label %fine, label %maybe
kwdefaults:
  %kwdefaults.of = call ptr @PyFunction_GetKwDefaults(ptr %a)
  %same.kwdefaults = icmp eq ptr %kwdefaults.of, %b
  br i1 %same.kwdefaults, label %fine, label %maybe
context:
  %context.status = call i32 @PyContextVar_Get(ptr %a, ptr @object.None, ptr %found)
  %context.failed = icmp slt i32 %context.status, 0
  br i1 %context.failed, label %unread, label %context.got
context.got:
  %state = load ptr, ptr %found
  call void @Py_DecRef(ptr %state)
  %same.state = icmp eq ptr %state, %b
  br i1 %same.state, label %fine, label %maybe
same:
  %y.p = getelementptr ptr, ptr %slots, i64 %c
  %y = load ptr, ptr %y.p
  %x.is.y = icmp eq ptr %x, %y
  br i1 %x.is.y, label %fine, label %maybe
distinct:
  %are.distinct = call i1 @are_distinct(ptr %slots, ptr %b, i64 %c)
  br i1 %are.distinct, label %fine, label %maybe
absent:
  %there = call ptr @PyDict_GetItemWithError(ptr %a, ptr %b)
  %not.there = icmp eq ptr %there, null
  br i1 %not.there, label %absent.surely, label %maybe
absent.surely:
  %absent.error = call ptr @PyErr_Occurred()
  %is.absent = icmp eq ptr %absent.error, null
  br i1 %is.absent, label %fine, label %unread
dict.holds:
  %held = call ptr @PyDict_GetItemWithError(ptr %a, ptr %b)
  %held.bits = ptrtoint ptr %held to i64
  %same.held = icmp eq i64 %held.bits, %c
  br i1 %same.held, label %fine, label %unread
lacks:
  %lacks.class.at = getelementptr i8, ptr %x, i64 8
  %lacks.class = load ptr, ptr %lacks.class.at
  %lacks.right = icmp eq ptr %lacks.class, %a
  br i1 %lacks.right, label %lacks.look, label %maybe
lacks.look:
  %is.lacking = call i1 @lacks(ptr %x, i64 %c, ptr %b)
  br i1 %is.lacking, label %lacks.surely, label %maybe
lacks.surely:
  %lacks.error = call ptr @PyErr_Occurred()
  %surely.lacks = icmp eq ptr %lacks.error, null
  br i1 %surely.lacks, label %fine, label %unread
call: ; a function of these slots
  call void @gather(ptr %items, ptr %slots, ptr %b, i64 %c)
  %said = call ptr @PyObject_Vectorcall(ptr %a, ptr %items, i64 %c, ptr null)
  %said.none = icmp eq ptr %said, null
  br i1 %said.none, label %unread, label %said.some
said.some:
  %said.true = call i32 @PyObject_IsTrue(ptr %said)
  call void @Py_DecRef(ptr %said)
  %said.yes = icmp eq i32 %said.true, 1
  br i1 %said.yes, label %fine, label %unread

version: ; of a class: where it is the one that was checked, the next rows need not be asked
  %known.version = load i64, ptr %b
  %now = call i64 @version(ptr %a)
  store i64 %now, ptr %begun
  %same.version = icmp eq i64 %now, %known.version
  %is.version = icmp ne i64 %now, 0
  %both.versions = and i1 %same.version, %is.version
  br i1 %both.versions, label %fine, label %maybe
checked:
  %then = load i64, ptr %begun
  %still = call i64 @version(ptr %a)
  %unchanged = icmp eq i64 %then, %still
  br i1 %unchanged, label %keep, label %fine
keep:
  store i64 %still, ptr %b
  br label %fine

pop:
  %top.0 = load i64, ptr %top.at
  %top.1 = sub i64 %top.0, 1
  store i64 %top.1, ptr %top.at
  %last.p = getelementptr ptr, ptr %slots, i64 %top.1
  %last.o = load ptr, ptr %last.p
  call void @Py_DecRef(ptr %last.o)
  br label %fine
global:
  %g.global = call ptr @PyDict_GetItemWithError(ptr %a, ptr %b)
  %no.global = icmp eq ptr %g.global, null
  br i1 %no.global, label %unread, label %counted
cell:
  %g.cell = call ptr @PyCell_Get(ptr %a)
  br label %read
attribute:
  %g.attribute = call ptr @PyObject_GetAttr(ptr %x, ptr %a)
  br label %read
item:
  %g.item = call ptr @PyObject_GetItem(ptr %x, ptr %a)
  br label %read
at:
  %g.at = call ptr @PySequence_GetItem(ptr %x, i64 %c)
  br label %read
constant:
  br label %counted
counted:
  %borrowed = phi ptr [ %g.global, %global ], [ %a, %constant ]
  call void @Py_IncRef(ptr %borrowed)
  br label %read
read:
  %got = phi ptr [ %borrowed, %counted ], [ %g.cell, %cell ], [ %g.attribute, %attribute ], [ %g.item, %item ], [ %g.at, %at ]
  %nothing = icmp eq ptr %got, null
  br i1 %nothing, label %unread, label %push
push:
  %top.2 = load i64, ptr %top.at
  %push.p = getelementptr ptr, ptr %slots, i64 %top.2
  store ptr %got, ptr %push.p
  %top.3 = add i64 %top.2, 1
  store i64 %top.3, ptr %top.at
  br label %fine
keys:
  %top.4 = load i64, ptr %top.at
  %values.p = getelementptr ptr, ptr %slots, i64 %top.4
  %taken = call i64 @values(ptr %x, ptr %b, i64 %c, ptr %values.p)
  %top.5 = add i64 %top.4, %taken
  store i64 %top.5, ptr %top.at
  %all.taken = icmp eq i64 %taken, %c
  br i1 %all.taken, label %fine, label %unread

unread: ; what cannot be read any more does not hold
  %raised = call ptr @PyErr_Occurred()
  %quiet = icmp eq ptr %raised, null
  br i1 %quiet, label %maybe, label %ask
ask:
  %expected = call i32 @PyErr_ExceptionMatches(ptr @object.unread)
  %is.expected = icmp ne i32 %expected, 0
  br i1 %is.expected, label %clear, label %error
clear:
  call void @PyErr_Clear()
  br label %maybe
yes:
  ret i32 1
no:
  ret i32 0
error:
  ret i32 -1
}

; The result of a call, of the results of the body, whose references it takes over.
define internal ptr @made(ptr %it, ptr %results, ptr %slots, ptr %items) {
entry:
  %kind.at = getelementptr %table, ptr %it, i32 0, i32 11
  %kind = load i64, ptr %kind.at
  switch i64 %kind, label %single [ i64 1, label %tuple
                                    i64 2, label %called
                                    i64 3, label %constant ]
single:
  %result.0 = load ptr, ptr %results
  ret ptr %result.0
tuple:
  %plan.at.1 = getelementptr %table, ptr %it, i32 0, i32 12
  %leaves = load ptr, ptr %plan.at.1
  %parts.at = getelementptr %table, ptr %it, i32 0, i32 13
  %parts = load i64, ptr %parts.at
  %new = call ptr @PyTuple_New(i64 %parts)
  %unmade = icmp eq ptr %new, null
  br i1 %unmade, label %lost, label %part
lost:
  call void @drop(ptr %results, i64 0, i64 %parts)
  ret ptr null
part:
  %t = phi i64 [ 0, %tuple ], [ %t1, %put ]
  %more = icmp slt i64 %t, %parts
  br i1 %more, label %put, label %full
put:
  %leaf.at = getelementptr i64, ptr %leaves, i64 %t
  %leaf = load i64, ptr %leaf.at
  %part.at = getelementptr ptr, ptr %results, i64 %leaf
  %o = load ptr, ptr %part.at
  %ignored = call i32 @PyTuple_SetItem(ptr %new, i64 %t, ptr %o)
  %t1 = add i64 %t, 1
  br label %part
full:
  ret ptr %new
called: ; a function of the results and of the leaves
  %count.at = getelementptr %table, ptr %it, i32 0, i32 10
  %count = load i64, ptr %count.at
  br label %copy
copy:
  %k = phi i64 [ 0, %called ], [ %k1, %one ]
  %some = icmp slt i64 %k, %count
  br i1 %some, label %one, label %rest
one:
  %from = getelementptr ptr, ptr %results, i64 %k
  %given = load ptr, ptr %from
  %to = getelementptr ptr, ptr %items, i64 %k
  store ptr %given, ptr %to
  %k1 = add i64 %k, 1
  br label %copy
rest:
  %others.at = getelementptr %table, ptr %it, i32 0, i32 13
  %others = load i64, ptr %others.at
  %which.at = getelementptr %table, ptr %it, i32 0, i32 14
  %which = load ptr, ptr %which.at
  %behind = getelementptr ptr, ptr %items, i64 %count
  call void @gather(ptr %behind, ptr %slots, ptr %which, i64 %others)
  %all = add i64 %count, %others
  %plan.at.2 = getelementptr %table, ptr %it, i32 0, i32 12
  %plan = load ptr, ptr %plan.at.2
  %built = call ptr @PyObject_Vectorcall(ptr %plan, ptr %items, i64 %all, ptr null)
  call void @drop(ptr %results, i64 0, i64 %count)
  ret ptr %built
constant:
  %plan.at.3 = getelementptr %table, ptr %it, i32 0, i32 12
  %always = load ptr, ptr %plan.at.3
  call void @Py_IncRef(ptr %always)
  ret ptr %always
}

define ptr @rt_enter(ptr %self, ptr %args, i64 %nargsf, ptr %names) {
entry:
  %slots = alloca ptr, i64 64
  %items = alloca ptr, i64 64
  %results = alloca ptr, i64 32
  %top.at = alloca i64
  %n = and i64 %nargsf, 9223372036854775807
  %busy = call i64 @PyList_Size(ptr @object.builders)
  %idle = icmp eq i64 %busy, 0
  br i1 %idle, label %look, label %slow
look:
  %chain.at = getelementptr i8, ptr %self, i64 16
  %chain = load ptr, ptr %chain.at
  %unset = icmp eq ptr %chain, null
  br i1 %unset, label %slow, label %open
open:
  call void @Py_IncRef(ptr %chain)
  %first = call ptr @PyTuple_GetItem(ptr %chain, i64 0)
  %tables = call ptr @PyBytes_AsString(ptr %first)
  %count = load i64, ptr %tables
  br label %try
try:
  %e = phi i64 [ 0, %open ], [ %e1, %bind ], [ %e1, %missed ]
  %some = icmp slt i64 %e, %count
  %e1 = add i64 %e, 1
  br i1 %some, label %begin, label %none
none:
  call void @Py_DecRef(ptr %chain)
  br label %slow
slow:
  %slowly = call ptr @slowly(ptr %self, ptr %args, i64 %n, ptr %names)
  ret ptr %slowly
begin:
  %at = getelementptr ptr, ptr %tables, i64 %e1
  %it = load ptr, ptr %at
  %params = load i64, ptr %it
  %places.at = getelementptr %table, ptr %it, i32 0, i32 1
  %places = load i64, ptr %places.at
  %as.many = icmp eq i64 %params, %n
  %by.place = icmp eq i64 %places, %n
  %unnamed = icmp eq ptr %names, null
  %all = and i1 %as.many, %by.place
  %plain = and i1 %all, %unnamed
  br i1 %plain, label %copy, label %bind
bind:
  %bound = call i1 @bind(ptr %it, ptr %args, i64 %n, ptr %names, ptr %slots)
  br i1 %bound, label %rows, label %try
copy:
  %k = phi i64 [ 0, %begin ], [ %k1, %copied ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %copied, label %rows
copied:
  %from = getelementptr ptr, ptr %args, i64 %k
  %to = getelementptr ptr, ptr %slots, i64 %k
  %o = load ptr, ptr %from
  store ptr %o, ptr %to
  %k1 = add i64 %k, 1
  br label %copy
rows:
  %holds = call i32 @holds(ptr %it, ptr %slots, ptr %items, ptr %top.at)
  %top = load i64, ptr %top.at
  switch i32 %holds, label %error [ i32 1, label %run
                                    i32 0, label %missed ]
missed:
  call void @drop(ptr %slots, i64 %params, i64 %top)
  br label %try
error:
  call void @drop(ptr %slots, i64 %params, i64 %top)
  call void @Py_DecRef(ptr %chain)
  ret ptr null
run:
  %inputs.at = getelementptr %table, ptr %it, i32 0, i32 6
  %inputs = load i64, ptr %inputs.at
  %which.at = getelementptr %table, ptr %it, i32 0, i32 7
  %which = load ptr, ptr %which.at
  call void @gather(ptr %items, ptr %slots, ptr %which, i64 %inputs)
  %body.at = getelementptr %table, ptr %it, i32 0, i32 8
  %body = load ptr, ptr %body.at
  %state.at = getelementptr %table, ptr %it, i32 0, i32 9
  %state = load ptr, ptr %state.at
  %status = call i32 %body(ptr %state, ptr %items, ptr %results)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %error, label %make
make:
  %result = call ptr @made(ptr %it, ptr %results, ptr %slots, ptr %items)
  call void @drop(ptr %slots, i64 %params, i64 %top)
  call void @Py_DecRef(ptr %chain)
  ret ptr %result
}

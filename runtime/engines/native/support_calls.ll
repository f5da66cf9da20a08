; What compiled functions do to call Python: boxing and calls. See jit.py, SUPPORT.
;
; A *cell* is 8 bytes that hold a raw number or a pointer. A *code* says what a cell holds:
;   0 a borrowed (as a result: owned) object      1 Python int (i64)     2 Python float (double)
;   3 Python bool (i8)     4 an ndarray, exactly
;   otherwise the address of a NumPy dtype: that scalar, or of a class, plus 1: its instance
; Offsets into objects: PyObject { refcount, type }; float and NumPy scalars keep their value at 16;
; PyArray_Descr { .., typeobj 16 }.

declare i64 @llvm.readcyclecounter()
declare ptr @PyLong_FromLongLong(i64)
declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)
declare ptr @PyFloat_FromDouble(double)
declare ptr @PyBool_FromLong(i64)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyErr_Format(ptr, ptr, ...)
declare void @PyErr_SetString(ptr, ptr)
declare void @PyErr_Clear()
declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyArray_Scalar(ptr, ptr, ptr)
declare i32 @PyType_IsSubtype(ptr, ptr)
@type.int = external global i8
@type.float = external global i8
@type.ndarray = external global i8
@object.True = external global i8
@object.False = external global i8
@error.IntegerRangeError = external global i8
@error.InternalError = external global i8

@text.result = private constant [53 x i8] c"a kernel returned %R where its type rule promised %s\00"
@text.count = private constant [52 x i8] c"a kernel returned %zd results where %zd were needed\00"
@text.silent = private constant [63 x i8] c"a kernel accepted operands that its native form has to refuse.\00"
@text.int = private constant [36 x i8] c"Python int is too large for 64 bits\00"
@text.scalar = private constant [42 x i8] c"a Python number or NumPy scalar of a type\00"

; The object for a cell: a new reference, or NULL with an exception set.
define ptr @rt_box(i64 %code, ptr %cell) {
  switch i64 %code, label %scalar [ i64 0, label %object
                                    i64 4, label %object
                                    i64 1, label %int
                                    i64 2, label %float
                                    i64 3, label %bool ]
object:
  %o = load ptr, ptr %cell
  call void @Py_IncRef(ptr %o)
  ret ptr %o
int:
  %i = load i64, ptr %cell
  %io = call ptr @PyLong_FromLongLong(i64 %i)
  ret ptr %io
float:
  %f = load double, ptr %cell
  %fo = call ptr @PyFloat_FromDouble(double %f)
  ret ptr %fo
bool:
  %b = load i8, ptr %cell
  %bi = zext i8 %b to i64
  %bo = call ptr @PyBool_FromLong(i64 %bi)
  ret ptr %bo
scalar:
  %descr = inttoptr i64 %code to ptr
  %so = call ptr @PyArray_Scalar(ptr %cell, ptr %descr, ptr null)
  ret ptr %so
}

; Put what the object holds into the cell. Takes over the reference. 0, or -1 with an exception set.
define i32 @rt_unbox(i64 %code, ptr %object, ptr %cell) {
entry:
  %overflow = alloca i32
  %typeat = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %typeat
  %valueat = getelementptr i8, ptr %object, i64 16
  switch i64 %code, label %scalar [ i64 0, label %object_
                                    i64 1, label %int
                                    i64 2, label %float
                                    i64 3, label %bool
                                    i64 4, label %array ]
object_:
  store ptr %object, ptr %cell
  ret i32 0
array:
  %isarray = icmp eq ptr %type, @type.ndarray
  br i1 %isarray, label %object_, label %wrong
int:
  %isint = icmp eq ptr %type, @type.int
  br i1 %isint, label %int_, label %wrong
int_:
  %i = call i64 @PyLong_AsLongLongAndOverflow(ptr %object, ptr %overflow)
  store i64 %i, ptr %cell
  %how = load i32, ptr %overflow
  %fits = icmp eq i32 %how, 0
  br i1 %fits, label %done, label %large
large:
  call void @PyErr_SetString(ptr @error.IntegerRangeError, ptr @text.int)
  br label %fail
float:
  %isfloat = icmp eq ptr %type, @type.float
  br i1 %isfloat, label %raw, label %wrong
bool:
  %istrue = icmp eq ptr %object, @object.True
  %isfalse = icmp eq ptr %object, @object.False
  %isbool = or i1 %istrue, %isfalse
  br i1 %isbool, label %bool_, label %wrong
bool_:
  %b = zext i1 %istrue to i8
  store i8 %b, ptr %cell
  br label %done
scalar:
  %odd = trunc i64 %code to i1
  br i1 %odd, label %instance, label %number
instance:
  %address = sub i64 %code, 1
  %class = inttoptr i64 %address to ptr
  %isexact = icmp eq ptr %type, %class
  br i1 %isexact, label %object_, label %derived
derived:
  %issubtype = call i32 @PyType_IsSubtype(ptr %type, ptr %class)
  %isderived = icmp ne i32 %issubtype, 0
  br i1 %isderived, label %object_, label %wrong
number:
  %descr = inttoptr i64 %code to ptr
  %wantat = getelementptr i8, ptr %descr, i64 16
  %want = load ptr, ptr %wantat
  %isscalar = icmp eq ptr %type, %want
  br i1 %isscalar, label %raw, label %wrong
raw:
  %bits = load i64, ptr %valueat
  store i64 %bits, ptr %cell
  br label %done
done:
  call void @Py_DecRef(ptr %object)
  ret i32 0
wrong:
  %ignored = call ptr (ptr, ptr, ...) @PyErr_Format(ptr @error.InternalError, ptr @text.result, ptr %object, ptr @text.scalar)
  br label %fail
fail:
  call void @Py_DecRef(ptr %object)
  ret i32 -1
}

; Call a Python callable: %nin cells in, %nout cells out, which follow the inputs both in %codes and in
; %cells. The last inputs are named by the tuple %kwnames (%nkw of them). 0, or -1 with an exception set.
define i32 @rt_call(ptr %callable, ptr %kwnames, i64 %nkw, ptr %codes, i64 %nin, i64 %nout, ptr %cells) {
entry:
  %room = add i64 %nin, 1
  %block = alloca ptr, i64 %room
  %args = getelementptr ptr, ptr %block, i64 1
  br label %box
box:
  %k = phi i64 [ 0, %entry ], [ %k1, %boxed ]
  %more = icmp slt i64 %k, %nin
  br i1 %more, label %boxone, label %call
boxone:
  %codeat = getelementptr i64, ptr %codes, i64 %k
  %code = load i64, ptr %codeat
  %cell = getelementptr i64, ptr %cells, i64 %k
  %o = call ptr @rt_box(i64 %code, ptr %cell)
  %argat = getelementptr ptr, ptr %args, i64 %k
  store ptr %o, ptr %argat
  %bad = icmp eq ptr %o, null
  br i1 %bad, label %unwind, label %boxed
boxed:
  %k1 = add i64 %k, 1
  br label %box
call:
  %npos = sub i64 %nin, %nkw
  %nargsf = or i64 %npos, -9223372036854775808
  %r = call ptr @PyObject_Vectorcall(ptr %callable, ptr %args, i64 %nargsf, ptr %kwnames)
  br label %unwind
unwind:
  %count = phi i64 [ %k, %boxone ], [ %nin, %call ]
  %result = phi ptr [ null, %boxone ], [ %r, %call ]
  br label %free
free:
  %j = phi i64 [ 0, %unwind ], [ %j1, %freeone ]
  %morefree = icmp slt i64 %j, %count
  br i1 %morefree, label %freeone, label %freed
freeone:
  %freeat = getelementptr ptr, ptr %args, i64 %j
  %fo = load ptr, ptr %freeat
  call void @Py_DecRef(ptr %fo)
  %j1 = add i64 %j, 1
  br label %free
freed:
  %isnull = icmp eq ptr %result, null
  br i1 %isnull, label %error, label %unpack
error:
  ret i32 -1
unpack:
  %outs = getelementptr i64, ptr %cells, i64 %nin
  %outcodes = getelementptr i64, ptr %codes, i64 %nin
  switch i64 %nout, label %tuple [ i64 0, label %none
                                   i64 1, label %one ]
none:
  call void @Py_DecRef(ptr %result)
  ret i32 0
one:
  %code1 = load i64, ptr %outcodes
  %status1 = call i32 @rt_unbox(i64 %code1, ptr %result, ptr %outs)
  ret i32 %status1
tuple:
  %size = call i64 @PyTuple_Size(ptr %result)
  %same = icmp eq i64 %size, %nout
  br i1 %same, label %item, label %short
short:
  call void @Py_DecRef(ptr %result)
  call void @PyErr_Clear()
  %ignored = call ptr (ptr, ptr, ...) @PyErr_Format(ptr @error.InternalError, ptr @text.count, i64 %size, i64 %nout)
  ret i32 -1
item:
  %t = phi i64 [ 0, %tuple ], [ %t1, %item1 ]
  %moreitems = icmp slt i64 %t, %nout
  br i1 %moreitems, label %item0, label %items
item0:
  %it = call ptr @PyTuple_GetItem(ptr %result, i64 %t)
  call void @Py_IncRef(ptr %it)
  %itcodeat = getelementptr i64, ptr %outcodes, i64 %t
  %itcode = load i64, ptr %itcodeat
  %itcell = getelementptr i64, ptr %outs, i64 %t
  %itstatus = call i32 @rt_unbox(i64 %itcode, ptr %it, ptr %itcell)
  %itbad = icmp ne i32 %itstatus, 0
  br i1 %itbad, label %undo, label %item1
item1:
  %t1 = add i64 %t, 1
  br label %item
items:
  call void @Py_DecRef(ptr %result)
  ret i32 0
undo: ; give back the objects among the results taken so far
  %u = phi i64 [ 0, %item0 ], [ %u1, %undone ]
  %moreundo = icmp slt i64 %u, %t
  br i1 %moreundo, label %undo0, label %undoall
undo0:
  %ucodeat = getelementptr i64, ptr %outcodes, i64 %u
  %ucode = load i64, ptr %ucodeat
  %uisobject = icmp eq i64 %ucode, 0
  %uisarray = icmp eq i64 %ucode, 4
  %uisodd = trunc i64 %ucode to i1
  %uislarge = icmp ugt i64 %ucode, 4
  %uisinstance = and i1 %uisodd, %uislarge
  %uisplain = or i1 %uisobject, %uisarray
  %uref = or i1 %uisplain, %uisinstance
  br i1 %uref, label %undo1, label %undone
undo1:
  %ucell = getelementptr i64, ptr %outs, i64 %u
  %uo = load ptr, ptr %ucell
  call void @Py_DecRef(ptr %uo)
  br label %undone
undone:
  %u1 = add i64 %u, 1
  br label %undo
undoall:
  call void @Py_DecRef(ptr %result)
  ret i32 -1
}

; As rt_call, on a slow way: %tally gets one call more, and the ticks of the clock that it took.
define i32 @rt_slow(ptr %tally, ptr %callable, ptr %kwnames, i64 %nkw, ptr %codes, i64 %nin, i64 %nout, ptr %cells) {
  %calls = load i64, ptr %tally
  %calls1 = add i64 %calls, 1
  store i64 %calls1, ptr %tally
  %began = call i64 @llvm.readcyclecounter()
  %status = call i32 @rt_call(ptr %callable, ptr %kwnames, i64 %nkw, ptr %codes, i64 %nin, i64 %nout, ptr %cells)
  %ended = call i64 @llvm.readcyclecounter()
  %took = sub i64 %ended, %began
  %tallied = getelementptr i64, ptr %tally, i64 1
  %ticks = load i64, ptr %tallied
  %ticks1 = add i64 %ticks, %took
  store i64 %ticks1, ptr %tallied
  ret i32 %status
}

; As rt_call, for operands that the machine code refuses: the kernel has to raise.
define i32 @rt_raise(ptr %callable, ptr %kwnames, i64 %nkw, ptr %codes, i64 %nin, i64 %nout, ptr %cells) {
  %status = call i32 @rt_call(ptr %callable, ptr %kwnames, i64 %nkw, ptr %codes, i64 %nin, i64 %nout, ptr %cells)
  %raised = icmp ne i32 %status, 0
  br i1 %raised, label %done, label %silent
silent:
  call void @PyErr_SetString(ptr @error.InternalError, ptr @text.silent)
  br label %done
done:
  ret i32 -1
}

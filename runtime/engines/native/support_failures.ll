; What compiled functions do when they end, or an exception leaves them. See jit.py, SUPPORT.

declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyList_New(i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare void @PyErr_SetString(ptr, ptr)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_Clear()
declare i32 @PyException_SetTraceback(ptr, ptr)
declare ptr @PyException_GetTraceback(ptr)
@note_failure = external global i8
@type.list = external global i8
@error.TypeError = external global i8
@wanted = private constant [29 x i8] c"the arguments must be a list\00"

; The entry of a graph for those who have a list: a new list of its results, NULL with an exception. %self is a
; tuple: the state, and bytes that hold the address of `entry_body` (codegen.py) and the number of results.
; The items of a tuple begin at 24, the address of a list's is there, bytes begin at 32.
define ptr @rt_entry(ptr %self, ptr %arguments) {
entry:
  %classat = getelementptr i8, ptr %arguments, i64 8
  %class = load ptr, ptr %classat
  %islist = icmp eq ptr %class, @type.list
  br i1 %islist, label %start, label %wrong
wrong:
  call void @PyErr_SetString(ptr @error.TypeError, ptr @wanted)
  ret ptr null
start:
  %stateat = getelementptr i8, ptr %self, i64 24
  %state = load ptr, ptr %stateat
  %bytesat = getelementptr i8, ptr %self, i64 32
  %bytes = load ptr, ptr %bytesat
  %bodyat = getelementptr i8, ptr %bytes, i64 32
  %body = load ptr, ptr %bodyat, align 1
  %nat = getelementptr i8, ptr %bytes, i64 40
  %n = load i64, ptr %nat, align 1
  %itemsat = getelementptr i8, ptr %arguments, i64 24
  %items = load ptr, ptr %itemsat
  %objects = alloca ptr, i64 %n
  %status = call i32 %body(ptr %state, ptr %items, ptr %objects)
  %made = icmp eq i32 %status, 0
  br i1 %made, label %pack, label %none
pack:
  %list = call ptr @PyList_New(i64 %n)
  %failed = icmp eq ptr %list, null
  br i1 %failed, label %drop, label %next
drop:
  call void @rt_release(ptr %objects, i64 %n)
  br label %none
none:
  ret ptr null
next:
  %k = phi i64 [ 0, %pack ], [ %k1, %fill ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %fill, label %done
fill:
  %at = getelementptr ptr, ptr %objects, i64 %k
  %object = load ptr, ptr %at
  %ignored = call i32 @PyList_SetItem(ptr %list, i64 %k, ptr %object)
  %k1 = add i64 %k, 1
  br label %next
done:
  ret ptr %list
}

; Give back the references that a frame holds. NULL where there is none.
define void @rt_release(ptr %frame, i64 %n) {
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %done ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %one, label %end
one:
  %at = getelementptr ptr, ptr %frame, i64 %k
  %o = load ptr, ptr %at
  store ptr null, ptr %at
  %none = icmp eq ptr %o, null
  br i1 %none, label %done, label %drop
drop:
  call void @Py_DecRef(ptr %o)
  br label %done
done:
  %k1 = add i64 %k, 1
  br label %next
end:
  ret void
}

; An exception leaves a compiled function: let note_failure(executable, site, exception) give it the
; user's line.
define void @rt_fail(ptr %executable, i64 %site) {
entry:
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  %args = alloca ptr, i64 3
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %type, ptr %value, ptr %traceback)
  %tb = load ptr, ptr %traceback
  %v = load ptr, ptr %value
  %hastb = icmp ne ptr %tb, null
  br i1 %hastb, label %set, label %note
set:
  %s = call i32 @PyException_SetTraceback(ptr %v, ptr %tb)
  call void @Py_DecRef(ptr %tb)
  br label %note
note:
  %number = call ptr @PyLong_FromLongLong(i64 %site)
  %nonumber = icmp eq ptr %number, null
  br i1 %nonumber, label %drop, label %call
call:
  store ptr %executable, ptr %args
  %arg1 = getelementptr ptr, ptr %args, i64 1
  store ptr %number, ptr %arg1
  %arg2 = getelementptr ptr, ptr %args, i64 2
  store ptr %v, ptr %arg2
  %result = call ptr @PyObject_Vectorcall(ptr @note_failure, ptr %args, i64 3, ptr null)
  call void @Py_DecRef(ptr %number)
  %bad = icmp eq ptr %result, null
  br i1 %bad, label %drop, label %noted
noted:
  call void @Py_DecRef(ptr %result)
  br label %restore
drop: ; a second exception (out of memory, Ctrl-C) must not hide the first
  call void @PyErr_Clear()
  br label %restore
restore:
  %newtb = call ptr @PyException_GetTraceback(ptr %v)
  %t = load ptr, ptr %type
  call void @PyErr_Restore(ptr %t, ptr %v, ptr %newtb)
  ret void
}

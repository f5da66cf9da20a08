; What compiled functions do with arrays that Python made. See jit.py, SUPPORT.
;
; Offsets into objects: PyArrayObject { .., nd 24, dims 32, descr 56 };
; PyArray_Descr { .., byteorder 26, type_num 28 }.

declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyErr_Format(ptr, ptr, ...)
declare ptr @PyArray_NewFromDescr(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare i32 @PyArray_SetBaseObject(ptr, ptr)
@type.ndarray = external global i8
@error.InternalError = external global i8

@text.result = private constant [53 x i8] c"a kernel returned %R where its type rule promised %s\00"

; Is the ndarray what the type rule promised? %dims holds -1 for any length. 0, or -1 with an exception set.
define i32 @rt_check_array(ptr %array, i32 %typenum, i1 %otherorder, i32 %nd, ptr %dims, ptr %expected) {
entry:
  %descrat = getelementptr i8, ptr %array, i64 56
  %descr = load ptr, ptr %descrat
  %orderat = getelementptr i8, ptr %descr, i64 26
  %order = load i8, ptr %orderat
  %swapped = icmp eq i8 %order, 62
  %numat = getelementptr i8, ptr %descr, i64 28
  %num = load i32, ptr %numat
  %samenum = icmp eq i32 %num, %typenum
  %ndat = getelementptr i8, ptr %array, i64 24
  %ndhere = load i32, ptr %ndat
  %samend = icmp eq i32 %ndhere, %nd
  %asked = icmp eq i1 %swapped, %otherorder
  %a = and i1 %samenum, %samend
  %b = and i1 %a, %asked
  %dimsat = getelementptr i8, ptr %array, i64 32
  %here = load ptr, ptr %dimsat
  %n = sext i32 %nd to i64
  br i1 %b, label %next, label %wrong
next:
  %k = phi i64 [ 0, %entry ], [ %k1, %same ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %one, label %fine
one:
  %wantat = getelementptr i64, ptr %dims, i64 %k
  %want = load i64, ptr %wantat
  %any = icmp slt i64 %want, 0
  %hasat = getelementptr i64, ptr %here, i64 %k
  %has = load i64, ptr %hasat
  %equal = icmp eq i64 %has, %want
  %ok = or i1 %any, %equal
  br i1 %ok, label %same, label %wrong
same:
  %k1 = add i64 %k, 1
  br label %next
fine:
  ret i32 0
wrong:
  %ignored = call ptr (ptr, ptr, ...) @PyErr_Format(ptr @error.InternalError, ptr @text.result, ptr %array, ptr %expected)
  ret i32 -1
}

; A new ndarray that shows part of the memory that %holder keeps alive; NULL with an exception set.
define ptr @rt_view(ptr %holder, ptr %descr, i32 %nd, ptr %dims, ptr %strides, ptr %data, i1 %writable) {
  %flags = select i1 %writable, i32 1024, i32 0
  call void @Py_IncRef(ptr %descr)
  %array = call ptr @PyArray_NewFromDescr(ptr @type.ndarray, ptr %descr, i32 %nd, ptr %dims, ptr %strides, ptr %data, i32 %flags, ptr null)
  %bad = icmp eq ptr %array, null
  br i1 %bad, label %fail, label %base
base:
  call void @Py_IncRef(ptr %holder)
  %status = call i32 @PyArray_SetBaseObject(ptr %array, ptr %holder)
  %ok = icmp eq i32 %status, 0
  br i1 %ok, label %done, label %drop
drop:
  call void @Py_DecRef(ptr %array)
  ret ptr null
done:
  ret ptr %array
fail:
  ret ptr null
}

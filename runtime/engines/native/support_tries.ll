; What compiled functions do with exceptions in a `try`. See tries.py, and jit.py, SUPPORT.

declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare void @PyErr_Clear()
declare i32 @PyException_SetTraceback(ptr, ptr)
declare ptr @PyException_GetTraceback(ptr)
declare i32 @PyErr_GivenExceptionMatches(ptr, ptr)
@error.AutographError = external global i8
@object.True = external global i8
@object.False = external global i8
@object.None = external global i8

; The exception that is set, which is not set any more: a new reference. NULL where there is none.
define internal ptr @fetch() {
entry:
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  store ptr null, ptr %value
  store ptr null, ptr %traceback
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  %t0 = load ptr, ptr %type
  %none = icmp eq ptr %t0, null
  br i1 %none, label %nothing, label %some
some:
  call void @PyErr_NormalizeException(ptr %type, ptr %value, ptr %traceback)
  %t = load ptr, ptr %type
  %v = load ptr, ptr %value
  %tb = load ptr, ptr %traceback
  call void @Py_DecRef(ptr %t)
  %hastb = icmp ne ptr %tb, null
  br i1 %hastb, label %set, label %done
set:
  %s = call i32 @PyException_SetTraceback(ptr %v, ptr %tb)
  call void @Py_DecRef(ptr %tb)
  br label %done
done:
  ret ptr %v
nothing:
  ret ptr null
}

; Set an exception, whose reference it takes over. The address of its class is at 8.
define internal void @restore(ptr %error) {
entry:
  %typeat = getelementptr i8, ptr %error, i64 8
  %type = load ptr, ptr %typeat
  call void @Py_IncRef(ptr %type)
  %tb = call ptr @PyException_GetTraceback(ptr %error)
  call void @PyErr_Restore(ptr %type, ptr %error, ptr %tb)
  ret void
}

; Take the exception that is set: a new reference. Let handles(site, exception, is_seen) say whether the handler
; gets it if it is seen, or a refusal. Else NULL, and it is set as before. It is seen, too, where somebody else
; has a reference; `first` gets the site if it is not. The address of the number of references is at 0.
define ptr @rt_catch(ptr %handles, i64 %site, i1 %seen, ptr %first) {
entry:
  %args = alloca ptr, i64 3
  %error = call ptr @fetch()
  %count = load i32, ptr %error
  %shared = icmp ne i32 %count, 1
  %looked = or i1 %seen, %shared
  %later = select i1 %looked, i64 -1, i64 %site
  store i64 %later, ptr %first
  %refusal = call i32 @PyErr_GivenExceptionMatches(ptr %error, ptr @error.AutographError)
  %refused = icmp ne i32 %refusal, 0
  %asks = or i1 %looked, %refused
  br i1 %asks, label %ask, label %take
ask:
  %bool = select i1 %looked, ptr @object.True, ptr @object.False
  %number = call ptr @PyLong_FromLongLong(i64 %site)
  store ptr %number, ptr %args
  %arg1 = getelementptr ptr, ptr %args, i64 1
  store ptr %error, ptr %arg1
  %arg2 = getelementptr ptr, ptr %args, i64 2
  store ptr %bool, ptr %arg2
  %result = call ptr @PyObject_Vectorcall(ptr %handles, ptr %args, i64 3, ptr null)
  call void @Py_DecRef(ptr %number)
  %bad = icmp eq ptr %result, null
  br i1 %bad, label %clear, label %look
clear: ; a second exception (out of memory, Ctrl-C) must not hide the first
  call void @PyErr_Clear()
  br label %pass
look:
  call void @Py_DecRef(ptr %result)
  %yes = icmp eq ptr %result, @object.True
  br i1 %yes, label %take, label %pass
take:
  ret ptr %error
pass:
  call void @restore(ptr %error)
  ret ptr null
}

; Let ended(caught, first, site, exception) say which exception is to be raised after a handler; it may have
; set one. Takes over the reference to what was caught. Returns 1 where one is set.
define i32 @rt_ended(ptr %ended, ptr %caught, i64 %first, i64 %site) {
entry:
  %args = alloca ptr, i64 4
  %error = call ptr @fetch()
  %hasnone = icmp eq ptr %error, null
  %given = select i1 %hasnone, ptr @object.None, ptr %error
  %firstnumber = call ptr @PyLong_FromLongLong(i64 %first)
  %number = call ptr @PyLong_FromLongLong(i64 %site)
  store ptr %caught, ptr %args
  %arg1 = getelementptr ptr, ptr %args, i64 1
  store ptr %firstnumber, ptr %arg1
  %arg2 = getelementptr ptr, ptr %args, i64 2
  store ptr %number, ptr %arg2
  %arg3 = getelementptr ptr, ptr %args, i64 3
  store ptr %given, ptr %arg3
  %result = call ptr @PyObject_Vectorcall(ptr %ended, ptr %args, i64 4, ptr null)
  call void @Py_DecRef(ptr %firstnumber)
  call void @Py_DecRef(ptr %number)
  call void @Py_DecRef(ptr %caught)
  call void @Py_DecRef(ptr %error)
  %bad = icmp eq ptr %result, null
  br i1 %bad, label %raised, label %look
look:
  %fine = icmp eq ptr %result, @object.None
  br i1 %fine, label %none, label %set
none:
  call void @Py_DecRef(ptr %result)
  ret i32 0
set:
  call void @restore(ptr %result)
  ret i32 1
raised:
  ret i32 1
}

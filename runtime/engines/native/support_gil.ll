; What runs do that touch no object of Python's: they let other threads have the GIL. See looks.py, jit.py.
;
; %saved is { the thread's state while the GIL is given up, the time of the last look at signals }.

declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()
declare i64 @clock()

; Take the GIL, unless the thread has it.
define void @rt_hold(ptr %saved) {
  %state = load ptr, ptr %saved
  %has = icmp eq ptr %state, null
  br i1 %has, label %done, label %take
take:
  store ptr null, ptr %saved
  call void @PyEval_RestoreThread(ptr %state)
  br label %done
done:
  ret void
}

; Look at pending signals, and give the GIL up. Without the GIL a look is due after 20 ms (in microseconds of
; the processor), for others may let us wait for it. 0, or -1 with the GIL and an exception set.
define i32 @rt_look(ptr %saved) {
  %now = call i64 @clock()
  %last.at = getelementptr i64, ptr %saved, i64 1
  %state = load ptr, ptr %saved
  %has = icmp eq ptr %state, null
  %last = load i64, ptr %last.at
  %passed = sub i64 %now, %last
  %long = icmp ugt i64 %passed, 20000
  %due = or i1 %has, %long
  br i1 %due, label %look, label %fine
look:
  call void @rt_hold(ptr %saved)
  %status = call i32 @PyErr_CheckSignals()
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %fail, label %leave
leave:
  %left = call ptr @PyEval_SaveThread()
  store ptr %left, ptr %saved
  store i64 %now, ptr %last.at
  br label %fine
fine:
  ret i32 0
fail:
  ret i32 -1
}

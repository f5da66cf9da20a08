; What runs do that touch no object of Python's: they let other threads have the GIL. See looks.py, jit.py.
;
; %saved is { the thread's state while the GIL is given up, the work since the last look at signals }.

declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare i32 @PyErr_CheckSignals()

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

; Look at pending signals, and give the GIL up. Without the GIL a look is due after 2**24 of %work (some
; milliseconds: a clock takes longer than the work), for others may let us wait for it. 0, or -1 with the GIL
; and an exception set.
define i32 @rt_look(ptr %saved, i64 %work) {
  %last.at = getelementptr i64, ptr %saved, i64 1
  %state = load ptr, ptr %saved
  %has = icmp eq ptr %state, null
  %last = load i64, ptr %last.at
  %passed = add i64 %last, %work
  store i64 %passed, ptr %last.at
  %long = icmp ugt i64 %passed, 16777216
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
  store i64 0, ptr %last.at
  br label %fine
fine:
  ret i32 0
fail:
  ret i32 -1
}

; Look at pending signals, and let other threads have the GIL for a while, where 5 ms of the processor have passed
; since they last had it. %turns is { looks until the clock is read, that time, looks between two readings }.
define i32 @rt_turn(ptr %turns) {
  %left = load i64, ptr %turns
  %reads = icmp sle i64 %left, 0
  br i1 %reads, label %read, label %wait
wait:
  %less = sub i64 %left, 1
  store i64 %less, ptr %turns
  br label %look
read:
  %now = call i64 @clock()
  %last.at = getelementptr i64, ptr %turns, i64 1
  %looks.at = getelementptr i64, ptr %turns, i64 2
  %last = load i64, ptr %last.at
  %looks = load i64, ptr %looks.at
  %passed = sub i64 %now, %last
  %due = icmp ugt i64 %passed, 5000
  %half = lshr i64 %looks, 1
  %twice = shl i64 %looks, 1
  %more = or i64 %twice, 1
  %most = call i64 @llvm.umin.i64(i64 %more, i64 4095)
  %following = select i1 %due, i64 %half, i64 %most
  store i64 %following, ptr %looks.at
  store i64 %following, ptr %turns
  br i1 %due, label %turn, label %look
turn:
  %state = call ptr @PyEval_SaveThread()
  call void @PyEval_RestoreThread(ptr %state)
  %back = call i64 @clock()
  store i64 %back, ptr %last.at
  br label %look
look:
  %status = call i32 @PyErr_CheckSignals()
  ret i32 %status
}

declare i64 @llvm.umin.i64(i64, i64)
declare i64 @clock()

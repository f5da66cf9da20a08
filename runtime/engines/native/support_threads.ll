; Blocks of a loop's iterations, which several threads take in their order. See regions.py.
;
; %task is { next block, end of the blocks, iterations of a block, iterations, function, site of the loop,
; site of a failure, work of a block, what the function uses ... }, in words of 8 bytes.

declare ptr @PyEval_SaveThread()
declare void @rt_hold(ptr)
declare i32 @rt_look(ptr, i64)
declare i64 @llvm.smin.i64(i64, i64)

; Called with the GIL, which it gives up. 0, or -1 with an exception and the block and site of the failure in
; %out: blocks before it are done by somebody, and none is begun that comes after.
define i32 @rt_blocks(ptr %task, ptr %out) {
entry:
  %saved = alloca i64, i64 2
  %work.at = getelementptr i64, ptr %saved, i64 1
  store i64 0, ptr %work.at
  %end.at = getelementptr i64, ptr %task, i64 1
  %size.at = getelementptr i64, ptr %task, i64 2
  %count.at = getelementptr i64, ptr %task, i64 3
  %body.at = getelementptr i64, ptr %task, i64 4
  %site.at = getelementptr i64, ptr %task, i64 5
  %each.at = getelementptr i64, ptr %task, i64 7
  %size = load i64, ptr %size.at
  %count = load i64, ptr %count.at
  %body = load ptr, ptr %body.at
  %site.of.loop = load i64, ptr %site.at
  %each = load i64, ptr %each.at
  %state = call ptr @PyEval_SaveThread()
  store ptr %state, ptr %saved
  br label %next
next:
  %block = atomicrmw add ptr %task, i64 1 monotonic
  %end = load atomic i64, ptr %end.at monotonic, align 8
  %more = icmp slt i64 %block, %end
  br i1 %more, label %run, label %done
run:
  %first = mul i64 %block, %size
  %above = add i64 %first, %size
  %last = call i64 @llvm.smin.i64(i64 %above, i64 %count)
  %failure = call i64 %body(i64 %first, i64 %last, ptr %task, ptr %saved)
  %fine = icmp eq i64 %failure, -1
  br i1 %fine, label %look, label %failed
look:
  %status = call i32 @rt_look(ptr %saved, i64 %each)
  %quiet = icmp eq i32 %status, 0
  br i1 %quiet, label %next, label %signal
signal: ; its handler has raised: no block goes on
  store atomic i64 0, ptr %end.at monotonic, align 8
  br label %failed
failed:
  %site = phi i64 [ %failure, %run ], [ %site.of.loop, %signal ]
  store i64 %block, ptr %out
  %out.site = getelementptr i64, ptr %out, i64 1
  store i64 %site, ptr %out.site
  %before = atomicrmw min ptr %end.at, i64 %block monotonic
  ret i32 -1
done:
  call void @rt_hold(ptr %saved)
  ret i32 0
}

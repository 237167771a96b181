;; The component `notes`: made from its sources by build_guests.py, not edited.
(component
(type (;0;)
(instance
(type (;0;) (record (field "seconds" u64) (field "nanoseconds" u32)))
(export (;1;) "datetime" (type (eq 0)))
(type (;2;) (func (result 1)))
(export (;0;) "now" (func (type 2)))
)
)
(import "wasi:clocks/wall-clock@0.2.0" (instance (;0;) (type 0)))
(type (;1;)
(instance
(type (;0;) string)
(export (;1;) "json-string" (type (eq 0)))
)
)
(import "zeroclaw:plugin/types@0.1.0" (instance (;1;) (type 1)))
(alias export 1 "json-string" (type (;2;)))
(type (;3;)
(instance
(type (;0;) (enum "trace" "debug" "info" "warn" "error"))
(export (;1;) "log-level" (type (eq 0)))
(type (;2;) (enum "start" "complete" "fail" "cancel" "skip" "timeout" "retry" "inbound" "outbound" "send" "receive" "connect" "disconnect" "reconnect" "spawn" "kill" "tick" "trigger" "schedule" "approve" "reject" "defer" "read" "write" "delete" "list-action" "query" "invoke" "dispatch" "resolve" "register" "unregister" "load" "save" "migrate" "validate" "note" "memory-audit"))
(export (;3;) "plugin-action" (type (eq 2)))
(type (;4;) (enum "success" "failure"))
(export (;5;) "plugin-outcome" (type (eq 4)))
(alias outer 1 2 (type (;6;)))
(export (;7;) "json-string" (type (eq 6)))
(type (;8;) (option 5))
(type (;9;) (option u64))
(type (;10;) (option 7))
(type (;11;) (record (field "function-name" string) (field "action" 3) (field "outcome" 8) (field "duration-ms" 9) (field "attrs" 10) (field "message" string)))
(export (;12;) "plugin-event" (type (eq 11)))
(type (;13;) (func (param "level" 1) (param "event" 12)))
(export (;0;) "log-record" (func (type 13)))
)
)
(import "zeroclaw:plugin/logging@0.1.0" (instance (;2;) (type 3)))
(core module (;0;)
(type (;0;) (func (param i32)))
(type (;1;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(type (;2;) (func (param i32 i32 i32 i32) (result i32)))
(type (;3;) (func (result i32)))
(type (;4;) (func (param i32) (result i32)))
(type (;5;) (func (param i64) (result i32)))
(type (;6;) (func (param i32 i32 i32) (result i32)))
(type (;7;) (func (param i32 i32) (result i32)))
(type (;8;) (func (param i32 i64 i32) (result i32)))
(type (;9;) (func (param i32 i32)))
(type (;10;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;11;) (func (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;12;) (func (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;13;) (func (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;14;) (func (param i32 i32 i32 i32 i32) (result i32)))
(type (;15;) (func (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;16;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
(type (;17;) (func (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)))
(type (;18;) (func))
(type (;19;) (func (param i32 i32 i32)))
(type (;20;) (func (param i32 i32 i32 i32)))
(type (;21;) (func (param i32 i64 i32 i32) (result i32)))
(type (;22;) (func (param i32 i32 i64 i32 i32) (result i32)))
(type (;23;) (func (param i64 i32 i32) (result i32)))
(import "wasi:clocks/wall-clock@0.2.0" "now" (func (;0;) (type 0) (param i32)))
(import "zeroclaw:plugin/logging@0.1.0" "log-record" (func (;1;) (type 1) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(table (;0;) 1 1 funcref)
(memory (;0;) 2)
(global (;0;) (mut i32) i32.const 65536)
(export "memory" (memory 0))
(export "cabi_realloc" (func 2))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (func 25))
(export "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (func 26))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (func 27))
(export "zeroclaw:plugin/memory@0.1.0#name" (func 28))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 29))
(export "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (func 30))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (func 31))
(export "zeroclaw:plugin/memory@0.1.0#store-entry" (func 32))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (func 34))
(export "zeroclaw:plugin/memory@0.1.0#recall" (func 35))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (func 36))
(export "zeroclaw:plugin/memory@0.1.0#get" (func 37))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (func 39))
(export "zeroclaw:plugin/memory@0.1.0#list-entries" (func 40))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (func 41))
(export "zeroclaw:plugin/memory@0.1.0#forget" (func 42))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 43))
(export "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (func 44))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (func 45))
(export "zeroclaw:plugin/memory@0.1.0#count" (func 46))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (func 47))
(export "zeroclaw:plugin/memory@0.1.0#health-check" (func 48))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 49))
(export "zeroclaw:plugin/memory@0.1.0#store-with-agent" (func 50))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 51))
(export "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (func 52))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 53))
(export "zeroclaw:plugin/memory@0.1.0#get-for-agent" (func 54))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 55))
(export "zeroclaw:plugin/memory@0.1.0#purge-namespace" (func 56))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (func 57))
(export "zeroclaw:plugin/memory@0.1.0#purge-session" (func 58))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 59))
(export "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (func 60))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (func 61))
(export "zeroclaw:plugin/memory@0.1.0#purge-agent" (func 62))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (func 63))
(export "zeroclaw:plugin/memory@0.1.0#reindex" (func 64))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (func 65))
(export "zeroclaw:plugin/memory@0.1.0#store-procedural" (func 66))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 67))
(export "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (func 68))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 69))
(export "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (func 70))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (func 71))
(export "zeroclaw:plugin/memory@0.1.0#export-entries" (func 72))
(export "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 73))
(export "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (func 74))
(func (;2;) (type 2) (param i32 i32 i32 i32) (result i32)
block ;; label = @1
block ;; label = @2
local.get 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 2
call 81
local.tee 2
i32.eqz
br_if 1 (;@1;)
local.get 1
i32.eqz
br_if 0 (;@2;)
local.get 2
local.get 0
local.get 1
local.get 3
local.get 1
local.get 3
i32.lt_u
select
call 13
drop
end
local.get 2
return
end
unreachable
)
(func (;3;) (type 3) (result i32)
i32.const 0
i32.const 0
i32.store8 offset=66448
i32.const 66448
)
(func (;4;) (type 4) (param i32) (result i32)
i32.const 0
local.get 0
i32.const 0
i32.ne
i32.store8 offset=66452
i32.const 0
i32.const 0
i32.store8 offset=66448
i32.const 66448
)
(func (;5;) (type 4) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66452 align=4
i32.const 0
i32.const 0
i32.store8 offset=66448
i32.const 66448
)
(func (;6;) (type 4) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66452 align=4
i32.const 0
i32.const 0
i32.store8 offset=66448
i32.const 66448
)
(func (;7;) (type 5) (param i64) (result i32)
i32.const 0
local.get 0
i64.store offset=66472
i32.const 0
i32.const 0
i32.store8 offset=66464
i32.const 66464
)
(func (;8;) (type 4) (param i32) (result i32)
i32.const 0
local.get 0
i32.const 0
i32.ne
i32.store8 offset=66472
i32.const 0
i32.const 0
i32.store8 offset=66464
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
i32.const 66480
local.get 0
i32.const 136
memory.copy
end
i32.const 66464
)
(func (;9;) (type 4) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66448
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66452 align=4
i32.const 66448
)
(func (;10;) (type 4) (param i32) (result i32)
i32.const 0
i32.const 1
i32.store8 offset=66464
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66472
i32.const 66464
)
(func (;11;) (type 4) (param i32) (result i32)
i32.const 0
local.get 0
i64.load align=4
i64.store offset=66616
i32.const 66616
)
(func (;12;) (type 6) (param i32 i32 i32) (result i32)
(local i32 i64)
block ;; label = @1
block ;; label = @2
local.get 2
i32.const 8
i32.ge_u
br_if 0 (;@2;)
local.get 0
local.set 3
br 1 (;@1;)
end
local.get 1
i32.const 255
i32.and
i64.extend_i32_u
i64.const 72340172838076673
i64.mul
local.set 4
local.get 0
local.set 3
loop ;; label = @2
local.get 3
local.get 4
i64.store align=1
local.get 3
i32.const 8
i32.add
local.set 3
local.get 2
i32.const -8
i32.add
local.tee 2
i32.const 7
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 3
local.get 1
i32.store8
local.get 3
i32.const 1
i32.add
local.set 3
local.get 2
i32.const -1
i32.add
local.tee 2
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;13;) (type 6) (param i32 i32 i32) (result i32)
(local i32)
block ;; label = @1
block ;; label = @2
local.get 2
i32.const 8
i32.ge_u
br_if 0 (;@2;)
local.get 0
local.set 3
br 1 (;@1;)
end
local.get 0
local.set 3
loop ;; label = @2
local.get 3
local.get 1
i64.load align=1
i64.store align=1
local.get 1
i32.const 8
i32.add
local.set 1
local.get 3
i32.const 8
i32.add
local.set 3
local.get 2
i32.const -8
i32.add
local.tee 2
i32.const 7
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 3
local.get 1
i32.load8_u
i32.store8
local.get 3
i32.const 1
i32.add
local.set 3
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;14;) (type 7) (param i32 i32) (result i32)
(local i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 2
local.get 1
i32.load offset=4
i32.ne
br_if 0 (;@2;)
block ;; label = @3
local.get 2
br_if 0 (;@3;)
i32.const 1
return
end
local.get 1
i32.load
local.set 1
local.get 0
i32.load
local.set 0
loop ;; label = @3
local.get 0
i32.load8_u
local.get 1
i32.load8_u
i32.ne
br_if 1 (;@2;)
i32.const 1
local.set 3
local.get 0
i32.const 1
i32.add
local.set 0
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
i32.eqz
br_if 2 (;@1;)
br 0 (;@3;)
end
end
i32.const 0
local.set 3
end
local.get 3
)
(func (;15;) (type 7) (param i32 i32) (result i32)
(local i32 i32)
local.get 1
i32.load8_u
local.set 2
block ;; label = @1
block ;; label = @2
local.get 0
i32.load8_u
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 2
i32.const 255
i32.and
br_if 1 (;@1;)
end
local.get 3
local.get 2
i32.const 255
i32.and
i32.eq
return
end
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=8
local.tee 2
local.get 1
i32.load offset=8
i32.ne
br_if 0 (;@2;)
block ;; label = @3
local.get 2
br_if 0 (;@3;)
i32.const 1
return
end
local.get 1
i32.load offset=4
local.set 1
local.get 0
i32.load offset=4
local.set 0
loop ;; label = @3
local.get 0
i32.load8_u
local.get 1
i32.load8_u
i32.ne
br_if 1 (;@2;)
i32.const 1
local.set 3
local.get 0
i32.const 1
i32.add
local.set 0
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const -1
i32.add
local.tee 2
i32.eqz
br_if 2 (;@1;)
br 0 (;@3;)
end
end
i32.const 0
local.set 3
end
local.get 3
)
(func (;16;) (type 4) (param i32) (result i32)
(local i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 1
br_if 0 (;@2;)
i32.const -2128831035
local.set 2
br 1 (;@1;)
end
local.get 0
i32.load
local.set 0
i32.const -2128831035
local.set 2
loop ;; label = @2
local.get 2
local.get 0
i32.load8_u
i32.xor
i32.const 16777619
i32.mul
local.set 2
local.get 0
i32.const 1
i32.add
local.set 0
local.get 1
i32.const -1
i32.add
local.tee 1
br_if 0 (;@2;)
end
end
local.get 2
i32.const 16
i32.shr_u
local.get 2
i32.xor
i32.const -2048144789
i32.mul
local.tee 0
i32.const 13
i32.shr_u
local.get 0
i32.xor
i32.const -1028477387
i32.mul
local.tee 0
i32.const 16
i32.shr_u
local.get 0
i32.xor
)
(func (;17;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32)
local.get 1
i32.load
local.set 2
block ;; label = @1
block ;; label = @2
local.get 1
i32.load offset=4
local.tee 3
i32.const 8
i32.ge_u
br_if 0 (;@2;)
local.get 0
local.set 1
local.get 3
local.set 4
br 1 (;@1;)
end
local.get 3
local.set 4
local.get 0
local.set 1
loop ;; label = @2
local.get 1
local.get 2
i64.load align=1
i64.store align=1
local.get 2
i32.const 8
i32.add
local.set 2
local.get 1
i32.const 8
i32.add
local.set 1
local.get 4
i32.const -8
i32.add
local.tee 4
i32.const 7
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 4
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 1
local.get 2
i32.load8_u
i32.store8
local.get 1
i32.const 1
i32.add
local.set 1
local.get 2
i32.const 1
i32.add
local.set 2
local.get 4
i32.const -1
i32.add
local.tee 4
br_if 0 (;@2;)
end
end
local.get 0
local.get 3
i32.add
)
(func (;18;) (type 8) (param i32 i64 i32) (result i32)
(local i32 i32 i64 i32)
global.get 0
i32.const 32
i32.sub
local.set 3
i32.const 0
local.set 4
loop ;; label = @1
local.get 3
local.get 4
i32.add
local.get 1
local.get 1
i64.const 10
i64.div_u
local.tee 5
i64.const 10
i64.mul
i64.sub
i32.wrap_i64
i32.const 48
i32.or
i32.store8
local.get 4
i32.const 1
i32.add
local.set 4
local.get 1
i64.const 9
i64.gt_u
local.set 6
local.get 5
local.set 1
local.get 6
br_if 0 (;@1;)
end
block ;; label = @1
local.get 2
local.get 4
i32.le_u
br_if 0 (;@1;)
loop ;; label = @2
local.get 0
i32.const 48
i32.store8
local.get 0
i32.const 1
i32.add
local.set 0
local.get 2
i32.const -1
i32.add
local.tee 2
local.get 4
i32.gt_u
br_if 0 (;@2;)
end
end
block ;; label = @1
local.get 4
i32.eqz
br_if 0 (;@1;)
local.get 3
i32.const -1
i32.add
local.set 6
loop ;; label = @2
local.get 0
local.get 6
local.get 4
i32.add
i32.load8_u
i32.store8
local.get 0
i32.const 1
i32.add
local.set 0
local.get 4
i32.const -1
i32.add
local.tee 4
br_if 0 (;@2;)
end
end
local.get 0
)
(func (;19;) (type 7) (param i32 i32) (result i32)
(local i32 i32)
local.get 0
i32.load8_s
local.tee 2
i32.const 255
i32.and
local.set 3
block ;; label = @1
local.get 2
i32.const 0
i32.lt_s
br_if 0 (;@1;)
local.get 1
i32.const 1
i32.store
local.get 3
return
end
local.get 1
i32.const 2
i32.const 3
i32.const 4
local.get 2
i32.const -16
i32.lt_u
select
local.get 2
i32.const -32
i32.lt_u
select
local.tee 2
i32.store
local.get 2
i32.const -1
i32.add
local.set 1
i32.const 127
local.get 2
i32.shr_u
local.get 3
i32.and
local.set 3
local.get 0
i32.const 1
i32.add
local.set 2
loop ;; label = @1
local.get 3
i32.const 6
i32.shl
local.get 2
i32.load8_u
i32.const 63
i32.and
i32.or
local.set 3
local.get 2
i32.const 1
i32.add
local.set 2
local.get 1
i32.const -1
i32.add
local.tee 1
br_if 0 (;@1;)
end
local.get 3
)
(func (;20;) (type 7) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 0
i32.const -1
i32.add
local.set 3
block ;; label = @1
loop ;; label = @2
local.get 3
local.tee 0
local.get 1
i32.le_u
br_if 1 (;@1;)
local.get 0
i32.const -1
i32.add
local.set 3
local.get 0
i32.load8_s
i32.const -64
i32.lt_s
br_if 0 (;@2;)
end
end
local.get 0
local.get 2
i32.const 12
i32.add
call 19
local.set 0
local.get 2
i32.const 16
i32.add
global.set 0
local.get 0
)
(func (;21;) (type 4) (param i32) (result i32)
(local i32)
block ;; label = @1
local.get 0
i32.const 128
i32.lt_u
br_if 0 (;@1;)
i32.const -144
local.set 1
loop ;; label = @2
block ;; label = @3
local.get 0
local.get 1
i32.const 65760
i32.add
i32.load
i32.lt_u
br_if 0 (;@3;)
local.get 0
local.get 1
i32.const 65764
i32.add
i32.load
i32.gt_u
br_if 0 (;@3;)
i32.const 0
return
end
local.get 1
i32.const 8
i32.add
local.tee 1
br_if 0 (;@2;)
end
i32.const 1
return
end
local.get 0
i32.const -48
i32.add
i32.const 10
i32.lt_u
local.get 0
i32.const 32
i32.or
i32.const -97
i32.add
i32.const 26
i32.lt_u
i32.or
)
(func (;22;) (type 4) (param i32) (result i32)
(local i32)
block ;; label = @1
local.get 0
i32.const 3584
i32.lt_u
br_if 0 (;@1;)
i32.const -104
local.set 1
loop ;; label = @2
block ;; label = @3
local.get 0
local.get 1
i32.const 65864
i32.add
i32.load
i32.lt_u
br_if 0 (;@3;)
local.get 0
local.get 1
i32.const 65868
i32.add
i32.load
i32.gt_u
br_if 0 (;@3;)
i32.const 1
return
end
local.get 1
i32.const 8
i32.add
local.tee 1
br_if 0 (;@2;)
end
end
i32.const 0
)
(func (;23;) (type 9) (param i32 i32)
(local i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
block ;; label = @1
local.get 1
i32.load offset=4
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.load
local.set 4
i32.const 0
local.set 5
loop ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 4
local.get 5
i32.add
local.tee 6
local.get 2
i32.const 12
i32.add
call 19
local.tee 1
i32.const 127
i32.gt_u
br_if 0 (;@4;)
local.get 1
i32.const 32
i32.add
local.get 1
local.get 1
i32.const -65
i32.add
i32.const 26
i32.lt_u
select
local.set 1
br 1 (;@3;)
end
block ;; label = @4
local.get 1
i32.const -192
i32.add
i32.const 30
i32.gt_u
br_if 0 (;@4;)
i32.const 215
local.get 1
i32.const 32
i32.or
local.get 1
i32.const 215
i32.eq
select
local.set 1
br 1 (;@3;)
end
block ;; label = @4
local.get 1
i32.const 376
i32.ne
br_if 0 (;@4;)
i32.const 255
local.set 1
br 1 (;@3;)
end
block ;; label = @4
block ;; label = @5
local.get 1
i32.const -330
i32.add
i32.const 46
i32.lt_u
br_if 0 (;@5;)
local.get 1
i32.const -256
i32.add
i32.const 48
i32.lt_u
br_if 0 (;@5;)
local.get 1
i32.const -306
i32.add
i32.const 5
i32.gt_u
br_if 1 (;@4;)
end
local.get 1
i32.const 1
i32.or
local.set 1
br 1 (;@3;)
end
block ;; label = @4
block ;; label = @5
local.get 1
i32.const -313
i32.add
i32.const 16
i32.lt_u
br_if 0 (;@5;)
local.get 1
i32.const -377
i32.add
i32.const 5
i32.gt_u
br_if 1 (;@4;)
end
local.get 1
i32.const 1
i32.and
local.get 1
i32.add
local.set 1
br 1 (;@3;)
end
block ;; label = @4
local.get 1
i32.const -913
i32.add
i32.const 26
i32.le_u
br_if 0 (;@4;)
block ;; label = @5
local.get 1
i32.const 902
i32.ne
br_if 0 (;@5;)
i32.const 940
local.set 1
br 2 (;@3;)
end
block ;; label = @5
local.get 1
i32.const -904
i32.add
i32.const 2
i32.gt_u
br_if 0 (;@5;)
local.get 1
i32.const 37
i32.add
local.set 1
br 2 (;@3;)
end
block ;; label = @5
local.get 1
i32.const 908
i32.ne
br_if 0 (;@5;)
i32.const 972
local.set 1
br 2 (;@3;)
end
block ;; label = @5
local.get 1
i32.const -2
i32.and
i32.const 910
i32.ne
br_if 0 (;@5;)
local.get 1
i32.const 63
i32.add
local.set 1
br 2 (;@3;)
end
block ;; label = @5
local.get 1
i32.const 962
i32.ne
br_if 0 (;@5;)
i32.const 963
local.set 1
br 2 (;@3;)
end
block ;; label = @5
local.get 1
i32.const -16
i32.and
i32.const 1024
i32.ne
br_if 0 (;@5;)
local.get 1
i32.const 80
i32.or
local.set 1
br 2 (;@3;)
end
local.get 1
i32.const -1040
i32.add
i32.const 31
i32.le_u
br_if 0 (;@4;)
block ;; label = @5
local.get 1
i32.const -1329
i32.add
i32.const 37
i32.gt_u
br_if 0 (;@5;)
local.get 1
i32.const 48
i32.add
local.set 1
br 2 (;@3;)
end
local.get 1
i32.const 32
i32.add
local.get 1
local.get 1
i32.const -65313
i32.add
i32.const 26
i32.lt_u
select
local.set 1
br 1 (;@3;)
end
local.get 1
i32.const 32
i32.add
local.set 1
end
block ;; label = @3
block ;; label = @4
block ;; label = @5
block ;; label = @6
block ;; label = @7
local.get 2
i32.load offset=12
local.tee 7
i32.const -1
i32.add
br_table 0 (;@7;) 1 (;@6;) 2 (;@5;) 3 (;@4;)
end
local.get 0
local.get 5
i32.add
local.get 1
i32.store8
br 3 (;@3;)
end
local.get 0
local.get 5
i32.add
local.tee 6
i32.const 1
i32.add
local.get 1
i32.const 63
i32.and
i32.const 128
i32.or
i32.store8
local.get 6
local.get 1
i32.const 6
i32.shr_u
i32.const 192
i32.or
i32.store8
br 2 (;@3;)
end
local.get 0
local.get 5
i32.add
local.tee 6
i32.const 2
i32.add
local.get 1
i32.const 63
i32.and
i32.const 128
i32.or
i32.store8
local.get 6
local.get 1
i32.const 12
i32.shr_u
i32.const 224
i32.or
i32.store8
local.get 6
i32.const 1
i32.add
local.get 1
i32.const 6
i32.shr_u
i32.const 63
i32.and
i32.const 128
i32.or
i32.store8
br 1 (;@3;)
end
local.get 0
local.get 5
i32.add
local.get 6
local.get 7
call 13
drop
end
local.get 7
local.get 5
i32.add
local.tee 5
local.get 3
i32.lt_u
br_if 0 (;@2;)
end
end
local.get 2
i32.const 16
i32.add
global.set 0
)
(func (;24;) (type 9) (param i32 i32)
(local i32 i32 i32 i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 1
i32.load
local.set 3
block ;; label = @1
block ;; label = @2
local.get 1
i32.load offset=4
local.tee 4
i32.eqz
br_if 0 (;@2;)
loop ;; label = @3
i32.const -80
local.set 5
local.get 3
local.get 2
i32.const 8
i32.add
call 19
local.set 6
block ;; label = @4
loop ;; label = @5
block ;; label = @6
local.get 6
local.get 5
i32.const 65616
i32.add
i32.load
i32.lt_u
br_if 0 (;@6;)
local.get 6
local.get 5
i32.const 65620
i32.add
i32.load
i32.le_u
br_if 2 (;@4;)
end
local.get 5
i32.const 8
i32.add
local.tee 5
br_if 0 (;@5;)
end
local.get 1
local.get 3
i32.store
local.get 1
local.get 4
i32.store offset=4
local.get 3
local.get 4
i32.add
local.set 4
loop ;; label = @5
local.get 4
i32.const -1
i32.add
local.set 6
block ;; label = @6
loop ;; label = @7
local.get 6
local.tee 5
local.get 3
i32.le_u
br_if 1 (;@6;)
local.get 5
i32.const -1
i32.add
local.set 6
local.get 5
i32.load8_s
i32.const -64
i32.lt_s
br_if 0 (;@7;)
end
end
local.get 5
local.get 2
i32.const 12
i32.add
call 19
local.set 6
i32.const -80
local.set 5
block ;; label = @6
loop ;; label = @7
block ;; label = @8
local.get 6
local.get 5
i32.const 65616
i32.add
i32.load
i32.lt_u
br_if 0 (;@8;)
local.get 6
local.get 5
i32.const 65620
i32.add
i32.load
i32.le_u
br_if 2 (;@6;)
end
local.get 5
i32.const 8
i32.add
local.tee 5
br_if 0 (;@7;)
br 6 (;@1;)
end
end
loop ;; label = @6
local.get 4
i32.const -1
i32.add
local.tee 4
i32.load8_s
i32.const -64
i32.lt_s
br_if 0 (;@6;)
end
local.get 4
local.get 3
i32.gt_u
br_if 0 (;@5;)
br 4 (;@1;)
end
end
local.get 3
local.get 2
i32.load offset=8
local.tee 5
i32.add
local.set 3
local.get 4
local.get 5
i32.sub
local.tee 4
br_if 0 (;@3;)
end
end
local.get 1
local.get 3
i32.store
local.get 3
local.set 4
end
local.get 1
local.get 4
local.get 3
i32.sub
i32.store offset=4
local.get 0
local.get 1
i64.load align=4
i64.store align=4
local.get 2
i32.const 16
i32.add
global.set 0
)
(func (;25;) (type 3) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 65889
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;26;) (type 3) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 66070
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;27;) (type 0) (param i32)
call 82
)
(func (;28;) (type 3) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 5
i32.store offset=12
local.get 0
i32.const 65889
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 11
local.set 1
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;29;) (type 0) (param i32)
call 82
)
(func (;30;) (type 3) (result i32)
i32.const 2047
)
(func (;31;) (type 0) (param i32)
call 82
)
(func (;32;) (type 10) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 160
i32.sub
local.tee 10
global.set 0
local.get 10
i32.const 0
i32.store16 offset=97 align=1
local.get 10
local.get 4
i32.store8 offset=96
local.get 10
local.get 3
i32.store offset=92
local.get 10
local.get 2
i32.store offset=88
local.get 10
local.get 1
i32.store offset=84
local.get 10
local.get 0
i32.store offset=80
local.get 10
i32.const 0
i32.store8 offset=99
local.get 10
i32.const 0
i32.store16 offset=109 align=1
local.get 10
local.get 7
i32.store8 offset=108
local.get 10
local.get 6
i32.store offset=104
local.get 10
local.get 5
i32.store offset=100
local.get 10
i32.const 0
i32.store8 offset=111
local.get 10
local.get 9
i32.store offset=116
local.get 10
local.get 8
i32.store offset=112
local.get 10
i32.const 80
i32.add
i32.const 40
i32.add
i32.const 0
i32.const 40
memory.fill
local.get 10
local.get 10
i32.const 80
i32.add
i32.const 80
memory.copy
local.get 10
call 33
local.set 4
local.get 10
i32.const 160
i32.add
global.set 0
local.get 4
)
(func (;33;) (type 4) (param i32) (result i32)
(local i32 f64 i32)
global.get 0
i32.const 96
i32.sub
local.tee 1
global.set 0
local.get 0
f64.load offset=72
local.set 2
block ;; label = @1
block ;; label = @2
local.get 0
i32.load8_u offset=64
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 2
local.get 2
f64.eq
br_if 0 (;@2;)
local.get 1
i32.const 26
i32.store offset=92
local.get 1
i32.const 65915
i32.store offset=88
local.get 1
local.get 1
i64.load offset=88 align=4
i64.store
local.get 1
call 9
local.set 0
br 1 (;@1;)
end
block ;; label = @2
local.get 0
call 121
br_if 0 (;@2;)
local.get 1
i32.const 27
i32.store offset=84
local.get 1
i32.const 65942
i32.store offset=80
local.get 1
local.get 1
i64.load offset=80 align=4
i64.store offset=8
local.get 1
i32.const 8
i32.add
call 9
local.set 0
br 1 (;@1;)
end
block ;; label = @2
local.get 3
i32.eqz
br_if 0 (;@2;)
block ;; label = @3
local.get 2
f64.const 0x0p+0 (;=0;)
f64.ge
i32.eqz
br_if 0 (;@3;)
local.get 2
f64.const 0x1p+0 (;=1;)
f64.le
br_if 1 (;@2;)
end
local.get 1
i32.const 12
i32.store offset=76
local.get 1
i32.const 66017
i32.store offset=72
local.get 1
i32.const 33
i32.store offset=68
local.get 1
i32.const 66036
i32.store offset=64
local.get 1
local.get 1
i64.load offset=72 align=4
i64.store offset=40
local.get 1
local.get 1
i64.load offset=64 align=4
i64.store offset=32
i32.const 3
i32.const 35
local.get 1
i32.const 40
i32.add
local.get 1
i32.const 32
i32.add
call 90
end
local.get 1
i32.const 12
i32.store offset=60
local.get 1
i32.const 66017
i32.store offset=56
local.get 1
i32.const 14
i32.store offset=52
local.get 1
i32.const 65866
i32.store offset=48
local.get 1
local.get 1
i64.load offset=56 align=4
i64.store offset=24
local.get 1
local.get 1
i64.load offset=48 align=4
i64.store offset=16
i32.const 1
i32.const 23
local.get 1
i32.const 24
i32.add
local.get 1
i32.const 16
i32.add
call 90
call 3
local.set 0
end
local.get 1
i32.const 96
i32.add
global.set 0
local.get 0
)
(func (;34;) (type 0) (param i32)
call 82
)
(func (;35;) (type 11) (param i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 304
i32.sub
local.tee 12
global.set 0
local.get 12
i32.const 64
i32.add
call 123
local.get 12
i32.const 0
i32.store8 offset=251
local.get 12
i32.const 0
i32.store16 offset=249 align=1
local.get 12
i32.const 0
i32.store8 offset=267
local.get 12
i32.const 0
i32.store16 offset=265 align=1
local.get 12
local.get 8
i32.store offset=256
local.get 12
local.get 7
i32.store offset=252
local.get 12
local.get 6
i32.store8 offset=248
local.get 12
local.get 11
i32.store offset=272
local.get 12
local.get 10
i32.store offset=268
local.get 12
local.get 9
i32.store8 offset=264
local.get 12
local.get 1
i32.store offset=244
local.get 12
local.get 0
i32.store offset=240
local.get 12
i32.const 152
i32.add
local.get 12
i32.const 64
i32.add
i32.const 88
memory.copy
local.get 12
i32.const 0
i32.store16 offset=165 align=1
local.get 12
local.get 3
i32.store8 offset=164
local.get 12
i32.const 0
i32.store8 offset=167
local.get 12
local.get 5
i32.store offset=172
local.get 12
local.get 4
i32.store offset=168
local.get 12
local.get 12
i64.load offset=248
i64.store offset=48
local.get 12
local.get 12
i32.load offset=256
i32.store offset=56
local.get 12
local.get 12
i64.load offset=264
i64.store offset=32
local.get 12
local.get 12
i32.load offset=272
i32.store offset=40
block ;; label = @1
block ;; label = @2
local.get 12
i32.const 208
i32.add
local.get 12
i32.const 48
i32.add
local.get 12
i32.const 32
i32.add
local.get 12
i32.const 296
i32.add
call 87
br_if 0 (;@2;)
local.get 12
local.get 12
i64.load offset=296 align=4
i64.store
local.get 12
call 9
local.set 8
br 1 (;@1;)
end
local.get 12
local.get 12
i64.load offset=240
i64.store offset=24
block ;; label = @2
local.get 12
i32.const 24
i32.add
local.get 2
local.get 12
i32.const 152
i32.add
local.get 12
i32.const 288
i32.add
call 91
i32.eqz
br_if 0 (;@2;)
local.get 12
local.get 12
i64.load offset=288 align=4
i64.store offset=16
local.get 12
i32.const 16
i32.add
call 6
local.set 8
br 1 (;@1;)
end
local.get 12
i32.const 27
i32.store offset=284
local.get 12
i32.const 65942
i32.store offset=280
local.get 12
local.get 12
i64.load offset=280 align=4
i64.store offset=8
local.get 12
i32.const 8
i32.add
call 9
local.set 8
end
local.get 12
i32.const 304
i32.add
global.set 0
local.get 8
)
(func (;36;) (type 0) (param i32)
call 82
)
(func (;37;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 1
i32.store offset=12
local.get 2
local.get 0
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 119
call 38
local.set 1
local.get 2
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;38;) (type 4) (param i32) (result i32)
(local i32)
global.get 0
i32.const 192
i32.sub
local.tee 1
global.set 0
block ;; label = @1
block ;; label = @2
local.get 0
br_if 0 (;@2;)
i32.const 0
call 8
local.set 0
br 1 (;@1;)
end
local.get 1
i64.const 0
i64.store offset=41 align=1
local.get 1
i32.const 0
i32.store8 offset=40
local.get 1
i64.const 0
i64.store offset=48 align=1
local.get 1
local.get 1
i64.load offset=40
i64.store offset=16
local.get 1
local.get 1
i64.load offset=48
i64.store offset=24
block ;; label = @2
local.get 0
local.get 1
i32.const 16
i32.add
local.get 1
i32.const 56
i32.add
call 126
i32.eqz
br_if 0 (;@2;)
local.get 1
i32.const 56
i32.add
call 8
local.set 0
br 1 (;@1;)
end
local.get 1
i32.const 27
i32.store offset=36
local.get 1
i32.const 65942
i32.store offset=32
local.get 1
local.get 1
i64.load offset=32 align=4
i64.store offset=8
local.get 1
i32.const 8
i32.add
call 10
local.set 0
end
local.get 1
i32.const 192
i32.add
global.set 0
local.get 0
)
(func (;39;) (type 0) (param i32)
call 82
)
(func (;40;) (type 12) (param i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 128
i32.sub
local.tee 7
global.set 0
local.get 7
i32.const 40
i32.add
call 123
local.get 7
i32.const 0
i32.store16 offset=77 align=1
local.get 7
i32.const 0
i32.store8 offset=79
local.get 7
i32.const 0
i32.store16 offset=81 align=1
local.get 7
i32.const 0
i32.store8 offset=83
local.get 7
local.get 3
i32.store offset=88
local.get 7
local.get 2
i32.store offset=84
local.get 7
local.get 1
i32.store8 offset=80
local.get 7
local.get 0
i32.store8 offset=76
local.get 7
i32.const 0
i32.store16 offset=53 align=1
local.get 7
i32.const 0
i32.store8 offset=55
local.get 7
local.get 6
i32.store offset=60
local.get 7
local.get 5
i32.store offset=56
local.get 7
local.get 4
i32.store8 offset=52
block ;; label = @1
block ;; label = @2
call 112
i64.extend_i32_u
local.get 7
i32.const 40
i32.add
local.get 7
i32.const 32
i32.add
call 98
i32.eqz
br_if 0 (;@2;)
local.get 7
local.get 7
i64.load offset=32 align=4
i64.store offset=16
local.get 7
i32.const 16
i32.add
call 6
local.set 3
br 1 (;@1;)
end
local.get 7
i32.const 27
i32.store offset=28
local.get 7
i32.const 65942
i32.store offset=24
local.get 7
local.get 7
i64.load offset=24 align=4
i64.store offset=8
local.get 7
i32.const 8
i32.add
call 9
local.set 3
end
local.get 7
i32.const 128
i32.add
global.set 0
local.get 3
)
(func (;41;) (type 0) (param i32)
call 82
)
(func (;42;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 1
i32.store offset=12
local.get 2
local.get 0
i32.store offset=8
local.get 2
local.get 2
i64.load offset=8 align=4
i64.store
local.get 2
call 120
i32.const 0
i32.ne
call 4
local.set 1
local.get 2
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;43;) (type 0) (param i32)
call 82
)
(func (;44;) (type 2) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 48
i32.sub
local.tee 4
global.set 0
local.get 4
local.get 1
i32.store offset=44
local.get 4
local.get 0
i32.store offset=40
local.get 4
i32.const 0
i32.store16 offset=29 align=1
local.get 4
i32.const 1
i32.store8 offset=28
local.get 4
i32.const 0
i32.store8 offset=31
local.get 4
local.get 2
i32.store offset=32
local.get 4
local.get 3
i32.store offset=36
local.get 4
local.get 3
i32.store offset=8
local.get 4
local.get 4
i64.load offset=40 align=4
i64.store offset=16
local.get 4
local.get 4
i64.load offset=28 align=4
i64.store
block ;; label = @1
local.get 4
i32.const 16
i32.add
local.get 4
call 116
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 3
call 107
end
local.get 3
i32.const 0
i32.ne
call 4
local.set 3
local.get 4
i32.const 48
i32.add
global.set 0
local.get 3
)
(func (;45;) (type 0) (param i32)
call 82
)
(func (;46;) (type 3) (result i32)
call 112
i64.extend_i32_u
call 7
)
(func (;47;) (type 0) (param i32)
call 82
)
(func (;48;) (type 3) (result i32)
call 115
)
(func (;49;) (type 0) (param i32)
call 82
)
(func (;50;) (type 4) (param i32) (result i32)
(local i32)
global.get 0
i32.const 160
i32.sub
local.tee 1
global.set 0
local.get 1
local.get 0
i64.load
i64.store offset=80
local.get 1
local.get 0
i64.load offset=8
i64.store offset=88
local.get 1
local.get 0
i64.load offset=16
i64.store offset=96
local.get 1
local.get 0
i32.load offset=24
i32.store offset=104
local.get 1
local.get 0
i64.load offset=28 align=4
i64.store offset=108 align=4
local.get 1
local.get 0
i32.load offset=36
i32.store offset=116
local.get 1
local.get 0
i64.load offset=40
i64.store offset=120
local.get 1
local.get 0
i32.load offset=48
i32.store offset=128
local.get 1
local.get 0
i32.load offset=80
i32.store offset=140
local.get 1
local.get 0
i64.load offset=72 align=4
i64.store offset=132 align=4
local.get 1
local.get 0
i64.load offset=64
i64.store offset=152
local.get 1
local.get 0
i64.load offset=56
i64.store offset=144
local.get 1
local.get 1
i32.const 80
i32.add
i32.const 80
memory.copy
local.get 1
call 33
local.set 0
local.get 1
i32.const 160
i32.add
global.set 0
local.get 0
)
(func (;51;) (type 0) (param i32)
call 82
)
(func (;52;) (type 13) (param i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 304
i32.sub
local.tee 15
global.set 0
local.get 15
i32.const 64
i32.add
call 123
local.get 15
local.get 2
i32.store offset=72
local.get 15
local.get 1
i32.store offset=68
local.get 15
local.get 0
i32.store offset=64
local.get 15
i32.const 0
i32.store8 offset=251
local.get 15
i32.const 0
i32.store16 offset=249 align=1
local.get 15
i32.const 0
i32.store8 offset=267
local.get 15
i32.const 0
i32.store16 offset=265 align=1
local.get 15
local.get 11
i32.store offset=256
local.get 15
local.get 10
i32.store offset=252
local.get 15
local.get 9
i32.store8 offset=248
local.get 15
local.get 14
i32.store offset=272
local.get 15
local.get 13
i32.store offset=268
local.get 15
local.get 12
i32.store8 offset=264
local.get 15
local.get 4
i32.store offset=244
local.get 15
local.get 3
i32.store offset=240
local.get 15
i32.const 152
i32.add
local.get 15
i32.const 64
i32.add
i32.const 88
memory.copy
local.get 15
i32.const 0
i32.store16 offset=165 align=1
local.get 15
local.get 6
i32.store8 offset=164
local.get 15
i32.const 0
i32.store8 offset=167
local.get 15
local.get 8
i32.store offset=172
local.get 15
local.get 7
i32.store offset=168
local.get 15
local.get 15
i64.load offset=248
i64.store offset=48
local.get 15
local.get 15
i32.load offset=256
i32.store offset=56
local.get 15
local.get 15
i64.load offset=264
i64.store offset=32
local.get 15
local.get 15
i32.load offset=272
i32.store offset=40
block ;; label = @1
block ;; label = @2
local.get 15
i32.const 208
i32.add
local.get 15
i32.const 48
i32.add
local.get 15
i32.const 32
i32.add
local.get 15
i32.const 296
i32.add
call 87
br_if 0 (;@2;)
local.get 15
local.get 15
i64.load offset=296 align=4
i64.store
local.get 15
call 9
local.set 2
br 1 (;@1;)
end
local.get 15
local.get 15
i64.load offset=240
i64.store offset=24
block ;; label = @2
local.get 15
i32.const 24
i32.add
local.get 5
local.get 15
i32.const 152
i32.add
local.get 15
i32.const 288
i32.add
call 91
i32.eqz
br_if 0 (;@2;)
local.get 15
local.get 15
i64.load offset=288 align=4
i64.store offset=16
local.get 15
i32.const 16
i32.add
call 6
local.set 2
br 1 (;@1;)
end
local.get 15
i32.const 27
i32.store offset=284
local.get 15
i32.const 65942
i32.store offset=280
local.get 15
local.get 15
i64.load offset=280 align=4
i64.store offset=8
local.get 15
i32.const 8
i32.add
call 9
local.set 2
end
local.get 15
i32.const 304
i32.add
global.set 0
local.get 2
)
(func (;53;) (type 0) (param i32)
call 82
)
(func (;54;) (type 2) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 48
i32.sub
local.tee 4
global.set 0
local.get 4
local.get 1
i32.store offset=44
local.get 4
local.get 0
i32.store offset=40
local.get 4
i32.const 0
i32.store16 offset=29 align=1
local.get 4
i32.const 1
i32.store8 offset=28
local.get 4
i32.const 0
i32.store8 offset=31
local.get 4
local.get 2
i32.store offset=32
local.get 4
local.get 3
i32.store offset=36
local.get 4
local.get 3
i32.store offset=8
local.get 4
local.get 4
i64.load offset=40 align=4
i64.store offset=16
local.get 4
local.get 4
i64.load offset=28 align=4
i64.store
local.get 4
i32.const 16
i32.add
local.get 4
call 116
call 38
local.set 3
local.get 4
i32.const 48
i32.add
global.set 0
local.get 3
)
(func (;55;) (type 0) (param i32)
call 82
)
(func (;56;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 96
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 8
i32.add
call 123
local.get 2
i32.const 0
i32.store8 offset=35
local.get 2
i32.const 0
i32.store16 offset=33 align=1
local.get 2
local.get 1
i32.store offset=40
local.get 2
local.get 0
i32.store offset=36
local.get 2
i32.const 1
i32.store8 offset=32
local.get 2
i32.const 8
i32.add
call 125
i64.extend_i32_u
call 7
local.set 1
local.get 2
i32.const 96
i32.add
global.set 0
local.get 1
)
(func (;57;) (type 0) (param i32)
call 82
)
(func (;58;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 96
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 8
i32.add
call 123
local.get 2
i32.const 0
i32.store8 offset=23
local.get 2
i32.const 0
i32.store16 offset=21 align=1
local.get 2
local.get 1
i32.store offset=28
local.get 2
local.get 0
i32.store offset=24
local.get 2
i32.const 1
i32.store8 offset=20
local.get 2
i32.const 8
i32.add
call 125
i64.extend_i32_u
call 7
local.set 1
local.get 2
i32.const 96
i32.add
global.set 0
local.get 1
)
(func (;59;) (type 0) (param i32)
call 82
)
(func (;60;) (type 2) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 96
i32.sub
local.tee 4
global.set 0
local.get 4
i32.const 8
i32.add
call 123
local.get 4
i32.const 0
i32.store16 offset=21 align=1
local.get 4
i32.const 0
i32.store8 offset=23
local.get 4
local.get 1
i32.store offset=28
local.get 4
local.get 0
i32.store offset=24
local.get 4
i32.const 1
i32.store8 offset=20
local.get 4
i32.const 1
i32.store offset=16
local.get 4
i32.const 1
i32.store offset=8
local.get 4
local.get 3
i32.store offset=4
local.get 4
local.get 2
i32.store
local.get 4
local.get 4
i32.store offset=12
local.get 4
i32.const 8
i32.add
call 125
i64.extend_i32_u
call 7
local.set 1
local.get 4
i32.const 96
i32.add
global.set 0
local.get 1
)
(func (;61;) (type 0) (param i32)
call 82
)
(func (;62;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 128
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 40
i32.add
call 123
local.get 2
local.get 1
i32.store offset=28
local.get 2
local.get 0
i32.store offset=24
local.get 2
local.get 2
i64.load offset=24 align=4
i64.store offset=8
local.get 2
i32.const 32
i32.add
local.get 2
i32.const 8
i32.add
call 103
block ;; label = @1
block ;; label = @2
local.get 2
i32.load offset=32
br_if 0 (;@2;)
local.get 2
i32.const 27
i32.store offset=20
local.get 2
i32.const 65942
i32.store offset=16
local.get 2
local.get 2
i64.load offset=16 align=4
i64.store
local.get 2
call 10
local.set 1
br 1 (;@1;)
end
local.get 2
i32.const 1
i32.store offset=48
local.get 2
i32.const 1
i32.store offset=40
local.get 2
local.get 2
i32.const 32
i32.add
i32.store offset=44
local.get 2
i32.const 40
i32.add
call 125
i64.extend_i32_u
call 7
local.set 1
end
local.get 2
i32.const 128
i32.add
global.set 0
local.get 1
)
(func (;63;) (type 0) (param i32)
call 82
)
(func (;64;) (type 3) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 0
global.set 0
block ;; label = @1
block ;; label = @2
call 113
i32.eqz
br_if 0 (;@2;)
call 112
i64.extend_i32_u
call 7
local.set 1
br 1 (;@1;)
end
local.get 0
i32.const 27
i32.store offset=12
local.get 0
i32.const 65942
i32.store offset=8
local.get 0
local.get 0
i64.load offset=8 align=4
i64.store
local.get 0
call 10
local.set 1
end
local.get 0
i32.const 16
i32.add
global.set 0
local.get 1
)
(func (;65;) (type 0) (param i32)
call 82
)
(func (;66;) (type 14) (param i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 80
i32.sub
local.tee 5
global.set 0
local.get 5
i32.const 0
i32.store16 offset=69 align=1
local.get 5
local.get 2
i32.store8 offset=68
local.get 5
i32.const 0
i32.store8 offset=71
local.get 5
local.get 3
i32.store offset=72
local.get 5
local.get 4
i32.store offset=76
local.get 5
local.get 4
i32.store offset=40
local.get 5
local.get 5
i64.load offset=68 align=4
i64.store offset=32
block ;; label = @1
block ;; label = @2
local.get 0
local.get 1
local.get 5
i32.const 32
i32.add
call 122
br_if 0 (;@2;)
local.get 5
i32.const 27
i32.store offset=64
local.get 5
i32.const 65942
i32.store offset=60
local.get 5
local.get 5
i64.load offset=60 align=4
i64.store offset=8
local.get 5
i32.const 8
i32.add
call 9
local.set 4
br 1 (;@1;)
end
local.get 5
i32.const 23
i32.store offset=56
local.get 5
i32.const 65976
i32.store offset=52
local.get 5
i32.const 19
i32.store offset=48
local.get 5
i32.const 65895
i32.store offset=44
local.get 5
local.get 5
i64.load offset=52 align=4
i64.store offset=24
local.get 5
local.get 5
i64.load offset=44 align=4
i64.store offset=16
i32.const 1
i32.const 23
local.get 5
i32.const 24
i32.add
local.get 5
i32.const 16
i32.add
call 90
call 3
local.set 4
end
local.get 5
i32.const 80
i32.add
global.set 0
local.get 4
)
(func (;67;) (type 0) (param i32)
call 82
)
(func (;68;) (type 7) (param i32 i32) (result i32)
(local i32)
global.get 0
i32.const 48
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 1
i32.store offset=44
local.get 2
local.get 0
i32.store offset=40
local.get 2
local.get 2
i64.load offset=40 align=4
i64.store offset=24
block ;; label = @1
block ;; label = @2
local.get 2
i32.const 24
i32.add
call 104
local.tee 1
i32.eqz
br_if 0 (;@2;)
local.get 2
local.get 1
i64.load offset=16 align=4
i64.store offset=16
local.get 2
i32.const 16
i32.add
call 5
local.set 1
br 1 (;@1;)
end
local.get 2
i32.const 27
i32.store offset=36
local.get 2
i32.const 65942
i32.store offset=32
local.get 2
local.get 2
i64.load offset=32 align=4
i64.store offset=8
local.get 2
i32.const 8
i32.add
call 9
local.set 1
end
local.get 2
i32.const 48
i32.add
global.set 0
local.get 1
)
(func (;69;) (type 0) (param i32)
call 82
)
(func (;70;) (type 15) (param i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 304
i32.sub
local.tee 14
global.set 0
local.get 14
i32.const 64
i32.add
call 123
local.get 14
i32.const 0
i32.store8 offset=91
local.get 14
i32.const 0
i32.store16 offset=89 align=1
local.get 14
local.get 1
i32.store offset=96
local.get 14
local.get 0
i32.store offset=92
local.get 14
i32.const 1
i32.store8 offset=88
local.get 14
i32.const 0
i32.store8 offset=251
local.get 14
i32.const 0
i32.store16 offset=249 align=1
local.get 14
i32.const 0
i32.store8 offset=267
local.get 14
i32.const 0
i32.store16 offset=265 align=1
local.get 14
local.get 10
i32.store offset=256
local.get 14
local.get 9
i32.store offset=252
local.get 14
local.get 8
i32.store8 offset=248
local.get 14
local.get 13
i32.store offset=272
local.get 14
local.get 12
i32.store offset=268
local.get 14
local.get 11
i32.store8 offset=264
local.get 14
local.get 3
i32.store offset=244
local.get 14
local.get 2
i32.store offset=240
local.get 14
i32.const 152
i32.add
local.get 14
i32.const 64
i32.add
i32.const 88
memory.copy
local.get 14
i32.const 0
i32.store16 offset=165 align=1
local.get 14
local.get 5
i32.store8 offset=164
local.get 14
i32.const 0
i32.store8 offset=167
local.get 14
local.get 7
i32.store offset=172
local.get 14
local.get 6
i32.store offset=168
local.get 14
local.get 14
i64.load offset=248
i64.store offset=48
local.get 14
local.get 14
i32.load offset=256
i32.store offset=56
local.get 14
local.get 14
i64.load offset=264
i64.store offset=32
local.get 14
local.get 14
i32.load offset=272
i32.store offset=40
block ;; label = @1
block ;; label = @2
local.get 14
i32.const 208
i32.add
local.get 14
i32.const 48
i32.add
local.get 14
i32.const 32
i32.add
local.get 14
i32.const 296
i32.add
call 87
br_if 0 (;@2;)
local.get 14
local.get 14
i64.load offset=296 align=4
i64.store
local.get 14
call 9
local.set 1
br 1 (;@1;)
end
local.get 14
local.get 14
i64.load offset=240
i64.store offset=24
block ;; label = @2
local.get 14
i32.const 24
i32.add
local.get 4
local.get 14
i32.const 152
i32.add
local.get 14
i32.const 288
i32.add
call 91
i32.eqz
br_if 0 (;@2;)
local.get 14
local.get 14
i64.load offset=288 align=4
i64.store offset=16
local.get 14
i32.const 16
i32.add
call 6
local.set 1
br 1 (;@1;)
end
local.get 14
i32.const 27
i32.store offset=284
local.get 14
i32.const 65942
i32.store offset=280
local.get 14
local.get 14
i64.load offset=280 align=4
i64.store offset=8
local.get 14
i32.const 8
i32.add
call 9
local.set 1
end
local.get 14
i32.const 304
i32.add
global.set 0
local.get 1
)
(func (;71;) (type 0) (param i32)
call 82
)
(func (;72;) (type 16) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 192
i32.sub
local.tee 16
global.set 0
local.get 16
i32.const 104
i32.add
call 123
local.get 16
i32.const 0
i32.store16 offset=129 align=1
local.get 16
i32.const 0
i32.store8 offset=131
local.get 16
local.get 2
i32.store offset=136
local.get 16
local.get 1
i32.store offset=132
local.get 16
local.get 0
i32.store8 offset=128
local.get 16
i32.const 0
i32.store16 offset=117 align=1
local.get 16
i32.const 0
i32.store8 offset=119
local.get 16
i32.const 0
i32.store16 offset=141 align=1
local.get 16
local.get 5
i32.store offset=124
local.get 16
local.get 4
i32.store offset=120
local.get 16
local.get 3
i32.store8 offset=116
local.get 16
i32.const 0
i32.store8 offset=143
local.get 16
i32.const 0
i32.store16 offset=145 align=1
local.get 16
i32.const 0
i32.store8 offset=147
local.get 16
local.get 6
i32.store8 offset=140
local.get 16
local.get 7
i32.store8 offset=144
local.get 16
local.get 9
i32.store offset=152
local.get 16
local.get 8
i32.store offset=148
local.get 16
i32.const 0
i32.store8 offset=79
local.get 16
i32.const 0
i32.store16 offset=77 align=1
local.get 16
local.get 10
i32.store8 offset=76
local.get 16
local.get 11
i32.store offset=80
local.get 16
local.get 13
i32.store8 offset=64
local.get 16
i32.const 0
i32.store8 offset=67
local.get 16
i32.const 0
i32.store16 offset=65 align=1
local.get 16
local.get 14
i32.store offset=68
local.get 16
local.get 12
i32.store offset=84
local.get 16
local.get 15
i32.store offset=72
local.get 16
local.get 12
i32.store offset=48
local.get 16
local.get 15
i32.store offset=32
local.get 16
local.get 16
i64.load offset=76 align=4
i64.store offset=40
local.get 16
local.get 16
i64.load offset=64 align=4
i64.store offset=24
block ;; label = @1
block ;; label = @2
local.get 16
i32.const 160
i32.add
local.get 16
i32.const 40
i32.add
local.get 16
i32.const 24
i32.add
local.get 16
i32.const 88
i32.add
call 87
br_if 0 (;@2;)
local.get 16
local.get 16
i64.load offset=88 align=4
i64.store
local.get 16
call 9
local.set 12
br 1 (;@1;)
end
block ;; label = @2
local.get 16
i32.const 104
i32.add
local.get 16
i32.const 96
i32.add
call 99
i32.eqz
br_if 0 (;@2;)
local.get 16
local.get 16
i64.load offset=96 align=4
i64.store offset=16
local.get 16
i32.const 16
i32.add
call 6
local.set 12
br 1 (;@1;)
end
local.get 16
i32.const 27
i32.store offset=60
local.get 16
i32.const 65942
i32.store offset=56
local.get 16
local.get 16
i64.load offset=56 align=4
i64.store offset=8
local.get 16
i32.const 8
i32.add
call 9
local.set 12
end
local.get 16
i32.const 192
i32.add
global.set 0
local.get 12
)
(func (;73;) (type 0) (param i32)
call 82
)
(func (;74;) (type 17) (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 f64) (result i32)
(local i32)
global.get 0
i32.const 160
i32.sub
local.tee 15
global.set 0
local.get 15
i32.const 0
i32.store16 offset=97 align=1
local.get 15
local.get 4
i32.store8 offset=96
local.get 15
local.get 3
i32.store offset=92
local.get 15
local.get 2
i32.store offset=88
local.get 15
local.get 1
i32.store offset=84
local.get 15
local.get 0
i32.store offset=80
local.get 15
i32.const 0
i32.store8 offset=99
local.get 15
i32.const 0
i32.store16 offset=109 align=1
local.get 15
local.get 7
i32.store8 offset=108
local.get 15
local.get 6
i32.store offset=104
local.get 15
local.get 5
i32.store offset=100
local.get 15
i32.const 0
i32.store8 offset=111
local.get 15
i32.const 0
i32.store16 offset=121 align=1
local.get 15
local.get 10
i32.store8 offset=120
local.get 15
local.get 9
i32.store offset=116
local.get 15
local.get 8
i32.store offset=112
local.get 15
i32.const 0
i32.store8 offset=123
local.get 15
local.get 12
i32.store offset=128
local.get 15
local.get 11
i32.store offset=124
local.get 15
i32.const 0
i32.store offset=140
local.get 15
i64.const 0
i64.store offset=132 align=4
local.get 15
local.get 13
i32.store8 offset=144
local.get 15
i32.const 0
i32.store offset=145 align=1
local.get 15
i32.const 0
i32.store offset=148 align=1
local.get 15
local.get 14
f64.store offset=152
local.get 15
local.get 15
i32.const 80
i32.add
i32.const 80
memory.copy
local.get 15
call 33
local.set 4
local.get 15
i32.const 160
i32.add
global.set 0
local.get 4
)
(func (;75;) (type 4) (param i32) (result i32)
(local i32 i32 i32)
block ;; label = @1
local.get 0
i32.const -268435456
i32.gt_u
br_if 0 (;@1;)
block ;; label = @2
i32.const 0
i32.load offset=66624
br_if 0 (;@2;)
memory.size
i32.const 16
i32.shl
local.tee 1
i32.const -4
i32.add
i32.const 9
i32.store
i32.const 0
local.get 1
i32.const -8
i32.add
local.tee 2
i32.store offset=66624
i32.const 67232
i32.const 7
i32.add
i32.const -8
i32.and
local.tee 1
i32.const 0
i32.store
local.get 1
local.get 2
local.get 1
i32.sub
call 76
end
block ;; label = @2
local.get 0
i32.const 15
i32.add
i32.const -8
i32.and
i32.const 16
local.get 0
select
local.tee 1
call 77
local.tee 0
br_if 0 (;@2;)
block ;; label = @3
local.get 1
i32.const 65551
i32.add
i32.const 16
i32.shr_u
local.tee 0
i32.const 16
local.get 0
i32.const 16
i32.gt_u
select
local.tee 2
memory.grow
local.tee 3
i32.const -1
i32.ne
br_if 0 (;@3;)
local.get 0
local.set 2
local.get 0
memory.grow
local.tee 3
i32.const -1
i32.eq
br_if 2 (;@1;)
end
local.get 3
i32.const 16
i32.shl
local.tee 0
local.get 2
i32.const 16
i32.shl
i32.add
local.tee 3
i32.const -4
i32.add
i32.const 9
i32.store
i32.const 0
i32.load offset=66624
local.set 2
i32.const 0
local.get 3
i32.const -8
i32.add
local.tee 3
i32.store offset=66624
block ;; label = @3
block ;; label = @4
local.get 2
i32.const 8
i32.add
local.get 0
i32.eq
br_if 0 (;@4;)
local.get 0
i32.const 0
i32.store
local.get 0
local.get 3
local.get 0
i32.sub
call 76
br 1 (;@3;)
end
local.get 2
local.get 3
local.get 2
i32.sub
call 76
end
local.get 1
call 77
local.set 0
end
local.get 0
call 78
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 2
local.get 1
i32.sub
local.tee 3
i32.const 16
i32.lt_u
br_if 0 (;@2;)
local.get 0
local.get 1
i32.store offset=4
local.get 0
local.get 1
i32.add
local.tee 2
local.get 1
i32.store
local.get 2
local.get 3
i32.store offset=4
local.get 2
local.get 3
i32.const -2
i32.and
i32.add
local.get 3
i32.store
local.get 2
call 79
local.get 0
i32.load offset=4
local.set 2
end
local.get 0
local.get 2
i32.const 1
i32.or
i32.store offset=4
local.get 0
i32.const 8
i32.add
return
end
i32.const 0
)
(func (;76;) (type 9) (param i32 i32)
(local i32 i32)
local.get 0
local.get 1
i32.store offset=4
local.get 0
local.get 1
i32.const -2
i32.and
i32.add
local.set 2
block ;; label = @1
block ;; label = @2
local.get 0
i32.load
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 0
local.get 3
i32.sub
local.tee 3
i32.load8_u offset=4
i32.const 1
i32.and
br_if 0 (;@2;)
local.get 3
call 78
local.get 3
i32.load offset=4
local.get 1
i32.add
local.set 1
br 1 (;@1;)
end
local.get 0
local.set 3
end
block ;; label = @1
local.get 2
i32.load8_u offset=4
i32.const 1
i32.and
br_if 0 (;@1;)
local.get 2
call 78
local.get 2
i32.load offset=4
local.get 1
i32.add
local.set 1
end
local.get 3
local.get 1
i32.store offset=4
local.get 3
local.get 1
i32.const -2
i32.and
i32.add
local.get 1
i32.store
local.get 3
call 79
)
(func (;77;) (type 4) (param i32) (result i32)
(local i32 i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 0
i32.const 3
i32.shr_u
local.set 1
br 1 (;@1;)
end
local.get 0
i32.const 29
local.get 0
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 1
end
block ;; label = @1
block ;; label = @2
local.get 1
i32.const 2
i32.shl
i32.load offset=66640
local.tee 2
i32.eqz
br_if 0 (;@2;)
loop ;; label = @3
local.get 2
i32.load offset=4
local.get 0
i32.ge_u
br_if 2 (;@1;)
local.get 2
i32.load offset=8
local.tee 2
br_if 0 (;@3;)
end
end
block ;; label = @2
local.get 1
i32.const 126
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 1
i32.add
local.tee 2
i32.const 5
i32.shr_u
local.tee 3
i32.const 2
i32.shl
local.set 0
i32.const -1
local.get 2
i32.shl
local.set 1
i32.const 0
local.set 2
loop ;; label = @3
block ;; label = @4
local.get 0
i32.const 67152
i32.add
i32.load
i32.const -1
local.get 1
local.get 2
select
i32.and
local.tee 4
i32.eqz
br_if 0 (;@4;)
local.get 3
i32.const 7
i32.shl
local.get 4
i32.ctz
i32.const 2
i32.shl
i32.add
local.get 2
i32.add
i32.const 66640
i32.add
i32.load
return
end
local.get 2
i32.const 128
i32.add
local.set 2
local.get 0
i32.const 4
i32.add
local.tee 0
i32.const 16
i32.ne
br_if 0 (;@3;)
end
end
i32.const 0
local.set 2
end
local.get 2
)
(func (;78;) (type 0) (param i32)
(local i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 1
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 3
i32.shr_u
local.set 2
br 1 (;@1;)
end
local.get 1
i32.const 29
local.get 1
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 2
end
local.get 0
i32.load offset=8
local.set 1
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=12
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 1
i32.store offset=8
br 1 (;@1;)
end
local.get 2
i32.const 2
i32.shl
local.get 1
i32.store offset=66640
end
block ;; label = @1
local.get 1
i32.eqz
br_if 0 (;@1;)
local.get 1
local.get 0
i32.load offset=12
i32.store offset=12
end
block ;; label = @1
local.get 2
i32.const 2
i32.shl
i32.load offset=66640
br_if 0 (;@1;)
local.get 2
i32.const 3
i32.shr_u
i32.const 536870908
i32.and
local.tee 0
local.get 0
i32.load offset=67152
i32.const -2
local.get 2
i32.rotl
i32.and
i32.store offset=67152
end
)
(func (;79;) (type 0) (param i32)
(local i32 i32 i32)
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=4
local.tee 1
i32.const 255
i32.gt_u
br_if 0 (;@2;)
local.get 1
i32.const 3
i32.shr_u
local.set 1
br 1 (;@1;)
end
local.get 1
i32.const 29
local.get 1
i32.clz
local.tee 2
i32.sub
i32.shr_u
i32.const 3
i32.and
local.get 2
i32.const 2
i32.shl
i32.sub
i32.const 124
i32.add
local.set 1
end
local.get 0
i32.const 0
i32.store offset=12
local.get 0
local.get 1
i32.const 2
i32.shl
local.tee 3
i32.load offset=66640
local.tee 2
i32.store offset=8
local.get 3
i32.const 66640
i32.add
local.set 3
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 0
i32.store offset=12
end
local.get 3
local.get 0
i32.store
local.get 1
i32.const 3
i32.shr_u
i32.const 536870908
i32.and
local.tee 0
local.get 0
i32.load offset=67152
i32.const 1
local.get 1
i32.shl
i32.or
i32.store offset=67152
)
(func (;80;) (type 0) (param i32)
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const -8
i32.add
local.get 0
i32.const -4
i32.add
i32.load
i32.const -2
i32.and
call 76
end
)
(func (;81;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32)
block ;; label = @1
local.get 0
i32.const -268435456
i32.gt_u
br_if 0 (;@1;)
local.get 1
local.get 0
i32.add
local.tee 2
i32.const 65000
local.get 2
i32.const 65000
i32.gt_u
select
local.tee 3
i32.const 12
i32.add
local.set 4
i32.const 0
local.get 1
i32.sub
local.set 5
local.get 1
i32.const -1
i32.add
local.set 6
i32.const 0
i32.load offset=66628
local.set 2
loop ;; label = @2
block ;; label = @3
local.get 2
i32.eqz
br_if 0 (;@3;)
local.get 2
i32.load offset=4
local.tee 7
local.get 6
local.get 2
i32.const 12
i32.add
local.tee 1
i32.add
local.get 2
i32.load offset=8
i32.add
local.get 5
i32.and
local.tee 8
local.get 1
i32.sub
local.tee 1
i32.lt_u
br_if 0 (;@3;)
local.get 0
local.get 7
local.get 1
i32.sub
i32.gt_u
br_if 0 (;@3;)
local.get 2
local.get 1
local.get 0
i32.add
i32.store offset=8
local.get 8
return
end
local.get 4
call 75
local.tee 1
i32.eqz
br_if 1 (;@1;)
local.get 1
local.get 2
i32.store
local.get 1
i32.const 0
i32.store offset=8
local.get 1
local.get 3
i32.store offset=4
i32.const 0
local.get 1
i32.store offset=66628
local.get 1
local.set 2
br 0 (;@2;)
end
end
i32.const 0
)
(func (;82;) (type 18)
(local i32 i32 i32)
i32.const 0
local.set 0
block ;; label = @1
i32.const 0
i32.load offset=66628
local.tee 1
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 0
loop ;; label = @2
local.get 1
i32.load
local.set 2
block ;; label = @3
block ;; label = @4
local.get 0
br_if 0 (;@4;)
local.get 1
i32.load offset=4
i32.const 65000
i32.ne
br_if 0 (;@4;)
local.get 1
local.set 0
br 1 (;@3;)
end
local.get 1
i32.const -8
i32.add
local.get 1
i32.const -4
i32.add
i32.load
i32.const -2
i32.and
call 76
end
i32.const 0
local.get 2
i32.store offset=66628
local.get 2
local.set 1
local.get 2
br_if 0 (;@2;)
end
block ;; label = @2
local.get 0
br_if 0 (;@2;)
i32.const 0
local.set 0
br 1 (;@1;)
end
local.get 0
i32.const 0
i32.store offset=8
local.get 0
i64.const 279172874240000
i64.store align=4
end
i32.const 0
local.get 0
i32.store offset=66628
)
(func (;83;) (type 0) (param i32)
(local i32 i64)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
local.get 1
call 0
local.get 0
i32.const 0
i32.store offset=12
local.get 0
i32.const 999999999
local.get 1
i32.load offset=8
local.get 1
i64.load
local.tee 2
i64.const 253402300799
i64.gt_u
select
i32.store offset=8
local.get 0
local.get 2
i64.const 253402300799
local.get 2
i64.const 253402300799
i64.lt_u
select
i64.store
local.get 1
i32.const 16
i32.add
global.set 0
)
(func (;84;) (type 7) (param i32 i32) (result i32)
(local i64 i64 i32)
block ;; label = @1
local.get 0
i64.load
local.tee 2
local.get 1
i64.load
local.tee 3
i64.eq
br_if 0 (;@1;)
i32.const -1
i32.const 1
local.get 2
local.get 3
i64.lt_s
select
return
end
i32.const 0
local.set 4
block ;; label = @1
local.get 0
i32.load offset=8
local.tee 0
local.get 1
i32.load offset=8
local.tee 1
i32.eq
br_if 0 (;@1;)
i32.const -1
i32.const 1
local.get 0
local.get 1
i32.lt_u
select
local.set 4
end
local.get 4
)
(func (;85;) (type 7) (param i32 i32) (result i32)
(local i64 i64)
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
i64.load
local.tee 2
local.get 1
i64.load
local.tee 3
i64.eq
br_if 0 (;@3;)
local.get 2
local.get 3
i64.lt_s
br_if 1 (;@2;)
br 2 (;@1;)
end
local.get 0
i32.load offset=8
local.get 1
i32.load offset=8
i32.gt_u
br_if 1 (;@1;)
end
local.get 1
i32.load offset=8
local.get 0
i32.load offset=24
i32.le_u
local.get 3
local.get 0
i64.load offset=16
local.tee 2
i64.lt_s
local.get 3
local.get 2
i64.eq
select
return
end
i32.const 0
)
(func (;86;) (type 9) (param i32 i32)
(local i64 i64 i32 i32 i32 i32)
local.get 0
local.get 1
i64.load
local.tee 2
i64.const 86400
i64.div_s
local.tee 3
i32.wrap_i64
i32.const 719468
i32.add
local.tee 4
local.get 4
i32.const 146097
i32.div_u
local.tee 5
i32.const 146097
i32.mul
i32.sub
local.tee 4
i32.const 36524
i32.div_u
local.get 4
i32.add
local.get 4
i32.const 1460
i32.div_u
i32.sub
local.get 4
i32.const 146095
i32.gt_u
i32.sub
local.tee 6
i32.const 365
i32.div_u
local.tee 7
local.get 5
i32.const 400
i32.mul
i32.add
i32.const 3
i32.const -9
local.get 4
local.get 6
i32.const 1460
i32.div_u
i32.sub
local.get 6
i32.const 36500
i32.div_u
i32.add
local.get 7
i32.const -365
i32.mul
i32.add
local.tee 4
i32.const 5
i32.mul
i32.const 2
i32.add
local.tee 6
i32.const 1530
i32.lt_u
select
local.get 6
i32.const 153
i32.div_u
local.tee 6
i32.add
local.tee 5
i32.const 3
i32.lt_u
i32.add
i64.extend_i32_u
i32.const 4
call 18
local.tee 0
i32.const 45
i32.store8
local.get 0
i32.const 1
i32.add
local.get 5
i64.extend_i32_u
i32.const 2
call 18
local.tee 0
i32.const 45
i32.store8
local.get 0
i32.const 1
i32.add
local.get 4
local.get 6
i32.const 153
i32.mul
i32.const 2
i32.add
i32.const 5
i32.div_u
i32.sub
i32.const 1
i32.add
i64.extend_i32_u
i32.const 2
call 18
local.tee 4
i32.const 84
i32.store8
local.get 4
i32.const 1
i32.add
local.get 2
local.get 3
i64.const 86400
i64.mul
i64.sub
i32.wrap_i64
local.tee 4
i32.const 3600
i32.div_u
i64.extend_i32_u
i32.const 2
call 18
local.tee 6
i32.const 58
i32.store8
local.get 6
i32.const 1
i32.add
local.get 4
i32.const 60
i32.div_u
local.tee 6
i32.const 60
i32.rem_u
i64.extend_i32_u
i32.const 2
call 18
local.tee 0
i32.const 58
i32.store8
local.get 0
i32.const 1
i32.add
local.get 4
local.get 6
i32.const 60
i32.mul
i32.sub
i64.extend_i32_u
i32.const 2
call 18
local.tee 4
i32.const 46
i32.store8
local.get 4
i32.const 1
i32.add
local.get 1
i64.load32_u offset=8
i32.const 9
call 18
i32.const 90
i32.store8
)
(func (;87;) (type 2) (param i32 i32 i32 i32) (result i32)
(local i32)
global.get 0
i32.const 80
i32.sub
local.tee 4
global.set 0
local.get 0
i64.const 0
i64.store offset=24
local.get 0
i64.const 9223372036854775807
i64.store offset=16
local.get 0
i64.const 0
i64.store offset=8
local.get 0
i64.const -9223372036854775807
i64.store
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 1
i32.load8_u
i32.eqz
br_if 0 (;@3;)
local.get 4
local.get 1
i64.load offset=4 align=4
i64.store offset=48
local.get 4
i32.const 48
i32.add
i32.const 1
local.get 0
call 88
br_if 0 (;@3;)
local.get 4
i32.const 5
i32.store offset=68
local.get 4
i32.const 66030
i32.store offset=64
local.get 4
local.get 4
i64.load offset=64 align=4
i64.store offset=40
local.get 4
local.get 1
i32.const 4
i32.add
i64.load align=4
i64.store offset=32
local.get 4
i32.const 72
i32.add
local.get 4
i32.const 40
i32.add
local.get 4
i32.const 32
i32.add
call 89
local.get 3
local.get 4
i64.load offset=72
i64.store align=4
br 1 (;@2;)
end
i32.const 1
local.set 1
local.get 2
i32.load8_u
i32.eqz
br_if 1 (;@1;)
local.get 4
local.get 2
i64.load offset=4 align=4
i64.store offset=24
local.get 4
i32.const 24
i32.add
i32.const 0
local.get 0
i32.const 16
i32.add
call 88
br_if 1 (;@1;)
local.get 4
i32.const 5
i32.store offset=60
local.get 4
i32.const 65970
i32.store offset=56
local.get 4
local.get 4
i64.load offset=56 align=4
i64.store offset=16
local.get 4
local.get 2
i32.const 4
i32.add
i64.load align=4
i64.store offset=8
local.get 4
i32.const 72
i32.add
local.get 4
i32.const 16
i32.add
local.get 4
i32.const 8
i32.add
call 89
local.get 3
local.get 4
i64.load offset=72
i64.store align=4
end
i32.const 0
local.set 1
end
local.get 4
i32.const 80
i32.add
global.set 0
local.get 1
)
(func (;88;) (type 6) (param i32 i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64 i64)
local.get 0
i32.load
local.tee 3
i32.const 4
i32.add
local.set 4
local.get 3
local.get 0
i32.load offset=4
local.tee 5
i32.add
local.set 6
i32.const 0
local.set 0
i32.const 1
local.set 7
i32.const 0
local.set 8
block ;; label = @1
block ;; label = @2
block ;; label = @3
block ;; label = @4
block ;; label = @5
loop ;; label = @6
block ;; label = @7
local.get 5
local.get 0
i32.ne
br_if 0 (;@7;)
i32.const 0
local.set 8
br 4 (;@3;)
end
local.get 3
local.get 0
i32.add
local.tee 9
i32.load8_u
local.tee 10
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.lt_u
br_if 1 (;@5;)
local.get 8
i32.const 10
i32.mul
local.get 10
i32.add
i32.const -48
i32.add
local.set 8
local.get 0
i32.const 1
i32.add
local.tee 0
i32.const 4
i32.ne
br_if 0 (;@6;)
end
i32.const 0
local.set 0
br 1 (;@4;)
end
i32.const 0
local.set 8
i32.const 1
local.set 0
local.get 9
local.set 4
end
local.get 4
local.get 6
i32.ne
br_if 1 (;@2;)
end
local.get 6
local.set 0
br 1 (;@1;)
end
local.get 0
i32.const 1
local.get 4
i32.load8_u
i32.const 45
i32.eq
local.tee 10
select
local.set 7
local.get 4
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 9
i32.const 0
local.set 11
i32.const 0
local.set 10
i32.const 0
local.set 3
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 4
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 5
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 7
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 5
i32.add
i32.const -48
i32.add
local.set 10
local.get 3
i32.const 1
i32.and
local.set 5
i32.const 1
local.set 3
local.get 5
i32.eqz
br_if 0 (;@2;)
end
local.get 9
local.set 0
local.get 10
local.set 11
end
local.get 6
local.set 10
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 7
i32.const 1
local.get 0
i32.load8_u
i32.const 45
i32.eq
local.tee 10
select
local.set 4
local.get 0
local.get 10
i32.add
local.set 10
end
local.get 10
i32.const 2
i32.add
local.set 0
i32.const 0
local.set 3
i32.const 0
local.set 5
block ;; label = @1
block ;; label = @2
loop ;; label = @3
block ;; label = @4
local.get 10
local.get 6
i32.ne
br_if 0 (;@4;)
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 10
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
local.get 10
local.set 0
br 2 (;@2;)
end
local.get 10
i32.const 1
i32.add
local.set 10
local.get 3
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 3
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@3;)
end
i32.const 1
local.set 12
local.get 11
i32.const -1
i32.add
i32.const 11
i32.gt_u
br_if 1 (;@1;)
local.get 3
i32.eqz
br_if 1 (;@1;)
block ;; label = @3
block ;; label = @4
local.get 11
i32.const 2
i32.ne
br_if 0 (;@4;)
block ;; label = @5
local.get 8
i32.const 3
i32.and
i32.eqz
br_if 0 (;@5;)
i32.const 28
local.set 10
br 2 (;@3;)
end
block ;; label = @5
local.get 8
i32.const 100
i32.rem_u
i32.eqz
br_if 0 (;@5;)
i32.const 29
local.set 10
br 2 (;@3;)
end
i32.const 28
i32.const 29
local.get 8
i32.const 400
i32.rem_u
select
local.set 10
br 1 (;@3;)
end
i32.const 30
i32.const 30
i32.const 31
local.get 11
i32.const 13
i32.and
local.tee 10
i32.const 9
i32.eq
select
local.get 10
i32.const 4
i32.eq
select
local.set 10
end
i32.const 1
local.get 4
local.get 3
local.get 10
i32.gt_u
select
local.set 12
br 1 (;@1;)
end
i32.const 0
local.set 3
i32.const 1
local.set 12
end
block ;; label = @1
block ;; label = @2
local.get 0
local.get 6
i32.ne
br_if 0 (;@2;)
i32.const 1
local.set 12
br 1 (;@1;)
end
block ;; label = @2
local.get 0
i32.load8_u
i32.const 32
i32.ne
br_if 0 (;@2;)
local.get 0
i32.const 1
i32.add
local.set 0
br 1 (;@1;)
end
local.get 12
i32.const 1
local.get 0
i32.load8_u
i32.const 223
i32.and
i32.const 84
i32.eq
local.tee 10
select
local.set 12
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 4
i32.const 0
local.set 13
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 7
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 12
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 12
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 4
local.set 0
local.get 10
local.set 13
end
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 12
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 10
select
local.set 7
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 14
i32.const 0
local.set 12
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
i32.const 1
local.set 4
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 7
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 14
local.set 0
local.get 10
local.set 12
end
block ;; label = @1
local.get 0
local.get 6
i32.eq
br_if 0 (;@1;)
local.get 7
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 10
select
local.set 4
local.get 0
local.get 10
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 7
i32.const 0
local.set 14
i32.const 0
local.set 10
i32.const 0
local.set 5
block ;; label = @1
loop ;; label = @2
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 4
local.get 6
local.set 0
br 2 (;@1;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 9
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@3;)
i32.const 1
local.set 4
br 2 (;@1;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
local.get 5
i32.const 1
i32.and
local.set 9
i32.const 1
local.set 5
local.get 9
i32.eqz
br_if 0 (;@2;)
end
local.get 7
local.set 0
local.get 10
local.set 14
end
i32.const 1
i32.const 1
i32.const 1
local.get 4
local.get 14
i32.const 60
i32.gt_u
select
local.get 12
i32.const 59
i32.gt_u
select
local.get 13
i32.const 23
i32.gt_u
select
local.set 7
block ;; label = @1
block ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 0
local.set 10
br 1 (;@3;)
end
i32.const 0
local.set 10
local.get 0
i32.load8_u
i32.const 46
i32.eq
br_if 1 (;@2;)
end
i32.const 0
local.set 15
br 1 (;@1;)
end
block ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 0
i32.const 1
i32.add
local.tee 0
local.get 6
i32.lt_u
br_if 0 (;@4;)
i32.const 0
local.set 10
i32.const 1
local.set 7
i32.const 0
local.set 5
i32.const 0
local.set 4
br 1 (;@3;)
end
local.get 6
local.get 0
i32.sub
local.set 16
i32.const 0
local.set 10
i32.const 0
local.set 4
i32.const 0
local.set 5
block ;; label = @4
block ;; label = @5
loop ;; label = @6
local.get 0
local.get 5
i32.add
local.tee 17
i32.load8_u
local.tee 9
i32.const -48
i32.add
i32.const 255
i32.and
i32.const 9
i32.gt_u
br_if 1 (;@5;)
block ;; label = @7
block ;; label = @8
local.get 5
i32.const 8
i32.gt_u
br_if 0 (;@8;)
local.get 10
i32.const 10
i32.mul
local.get 9
i32.add
i32.const -48
i32.add
local.set 10
br 1 (;@7;)
end
local.get 4
local.get 9
i32.const 48
i32.ne
i32.or
local.set 4
end
local.get 16
local.get 5
i32.const 1
i32.add
local.tee 5
i32.ne
br_if 0 (;@6;)
end
local.get 6
local.set 0
local.get 16
local.set 5
br 1 (;@4;)
end
local.get 17
local.set 0
end
block ;; label = @4
local.get 5
br_if 0 (;@4;)
i32.const 0
local.set 5
i32.const 1
local.set 7
br 1 (;@3;)
end
local.get 5
i32.const 8
i32.gt_u
br_if 1 (;@2;)
end
local.get 5
i32.const -9
i32.add
local.set 5
loop ;; label = @3
local.get 10
i32.const 10
i32.mul
local.set 10
local.get 5
i32.const 1
i32.add
local.tee 5
br_if 0 (;@3;)
end
end
local.get 4
i32.const 0
i32.ne
local.set 15
end
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
local.get 6
i32.ne
br_if 0 (;@3;)
i32.const 1
local.set 17
i32.const 1
local.set 18
br 1 (;@2;)
end
block ;; label = @3
local.get 0
i32.load8_u
local.tee 5
i32.const 223
i32.and
i32.const 90
i32.ne
br_if 0 (;@3;)
local.get 0
i32.const 1
i32.add
local.set 0
i64.const 0
local.set 19
br 2 (;@1;)
end
i32.const 1
local.set 17
i32.const 1
local.set 18
block ;; label = @3
block ;; label = @4
block ;; label = @5
local.get 5
i32.const -43
i32.add
br_table 1 (;@4;) 3 (;@2;) 0 (;@5;) 3 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
i32.const 0
local.set 18
br 1 (;@3;)
end
i32.const 1
local.set 18
local.get 0
i32.const 1
i32.add
local.set 0
end
local.get 7
local.set 17
end
local.get 0
i32.const 2
i32.add
local.set 20
i32.const 0
local.set 16
i32.const 0
local.set 5
i32.const 0
local.set 9
block ;; label = @2
loop ;; label = @3
i32.const 1
local.set 7
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 1
local.set 17
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 0
i32.load8_u
local.tee 4
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
i32.const 1
local.set 17
br 2 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 5
i32.const 10
i32.mul
local.get 4
i32.add
i32.const -48
i32.add
local.set 5
local.get 9
i32.const 1
i32.and
local.set 4
i32.const 1
local.set 9
local.get 4
i32.eqz
br_if 0 (;@3;)
end
local.get 20
local.set 0
local.get 5
local.set 16
end
block ;; label = @2
local.get 0
local.get 6
i32.eq
br_if 0 (;@2;)
local.get 17
i32.const 1
local.get 0
i32.load8_u
i32.const 58
i32.eq
local.tee 5
select
local.set 7
local.get 0
local.get 5
i32.add
local.set 0
end
local.get 0
i32.const 2
i32.add
local.set 20
i32.const 0
local.set 17
i32.const 0
local.set 5
i32.const 0
local.set 9
block ;; label = @2
loop ;; label = @3
block ;; label = @4
local.get 0
local.get 6
i32.ne
br_if 0 (;@4;)
i32.const 1
local.set 7
local.get 6
local.set 0
br 2 (;@2;)
end
block ;; label = @4
local.get 0
i32.load8_u
local.tee 4
i32.const -58
i32.add
i32.const 255
i32.and
i32.const 246
i32.ge_u
br_if 0 (;@4;)
i32.const 1
local.set 7
br 2 (;@2;)
end
local.get 0
i32.const 1
i32.add
local.set 0
local.get 5
i32.const 10
i32.mul
local.get 4
i32.add
i32.const -48
i32.add
local.set 5
local.get 9
i32.const 1
i32.and
local.set 4
i32.const 1
local.set 9
local.get 4
i32.eqz
br_if 0 (;@3;)
end
local.get 20
local.set 0
local.get 5
local.set 17
end
i64.const 0
local.get 16
i64.extend_i32_u
i64.const 3600
i64.mul
local.get 17
i32.const 60
i32.mul
i64.extend_i32_u
i64.add
local.tee 21
i64.sub
local.get 21
local.get 18
select
local.set 19
i32.const 1
i32.const 1
local.get 7
local.get 17
i32.const 59
i32.gt_u
select
local.get 16
i32.const 23
i32.gt_u
select
local.set 7
end
i32.const 0
local.set 5
block ;; label = @1
local.get 0
local.get 6
i32.ne
br_if 0 (;@1;)
local.get 7
br_if 0 (;@1;)
local.get 2
local.get 8
i64.extend_i32_u
local.get 11
i32.const 3
i32.lt_u
i64.extend_i32_u
i64.sub
local.tee 21
i64.const -399
i64.add
local.get 21
local.get 21
i64.const 0
i64.lt_s
select
i64.const 400
i64.div_s
local.tee 22
i64.const 146097
i64.mul
local.get 22
i64.const 4294966896
i64.mul
local.get 21
i64.add
i32.wrap_i64
local.tee 0
i32.const 100
i32.div_u
i32.const -1
i32.xor
i32.const -3
i32.const 9
local.get 11
i32.const 2
i32.gt_u
select
local.get 11
i32.add
i32.const 153
i32.mul
i32.const 2
i32.add
i32.const 5
i32.div_u
local.get 0
i32.const 2
i32.shr_u
i32.add
local.get 0
i32.const 365
i32.mul
i32.add
i32.add
local.get 3
i32.add
i64.extend_i32_u
i64.add
i64.const 86400
i64.mul
local.get 13
i32.const 3600
i32.mul
i64.extend_i32_u
i64.add
local.get 12
i32.const 60
i32.mul
i64.extend_i32_u
i64.add
local.get 14
i64.extend_i32_u
i64.add
local.get 19
i64.add
i64.const -62162035200
i64.add
local.tee 21
i64.store
i32.const 1
local.set 5
block ;; label = @2
local.get 1
i32.const 0
i32.ne
local.get 15
i32.and
i32.const 1
i32.ne
br_if 0 (;@2;)
local.get 10
i32.const 1
i32.add
local.tee 10
i32.const 1000000000
i32.ne
br_if 0 (;@2;)
local.get 2
local.get 21
i64.const 1
i64.add
i64.store
i32.const 0
local.set 10
end
local.get 2
local.get 10
i32.store offset=8
end
local.get 5
)
(func (;89;) (type 19) (param i32 i32 i32)
(local i32 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 2
i32.load offset=4
local.tee 4
i32.const 65
i32.lt_u
br_if 0 (;@1;)
local.get 2
i32.load
local.set 5
i32.const 65
local.set 4
loop ;; label = @2
local.get 4
i32.const -1
i32.add
local.tee 4
local.get 5
i32.add
i32.load8_s
i32.const -64
i32.lt_s
br_if 0 (;@2;)
end
end
block ;; label = @1
block ;; label = @2
local.get 4
local.get 1
i32.load offset=4
i32.add
i32.const 55
i32.add
i32.const 1
call 81
local.tee 5
br_if 0 (;@2;)
i32.const 27
local.set 4
i32.const 65942
local.set 5
br 1 (;@1;)
end
local.get 3
local.get 1
i64.load align=4
i64.store offset=16
local.get 5
local.get 3
i32.const 16
i32.add
call 17
local.set 1
local.get 3
i32.const 0
i64.load offset=66160 align=4
i64.store offset=8
local.get 1
local.get 3
i32.const 8
i32.add
call 17
local.set 1
local.get 3
local.get 4
i32.store offset=28
local.get 3
local.get 2
i32.load
i32.store offset=24
local.get 3
local.get 3
i64.load offset=24 align=4
i64.store
local.get 1
local.get 3
call 17
local.get 5
i32.sub
local.set 4
end
local.get 0
local.get 4
i32.store offset=4
local.get 0
local.get 5
i32.store
local.get 3
i32.const 32
i32.add
global.set 0
)
(func (;90;) (type 20) (param i32 i32 i32 i32)
local.get 0
local.get 2
i32.load
local.get 2
i32.load offset=4
local.get 1
i32.const 1
i32.const 0
i32.const 0
i64.const 0
i32.const 0
i32.const 0
i32.const 0
local.get 3
i32.load
local.get 3
i32.load offset=4
call 1
)
(func (;91;) (type 21) (param i32 i64 i32 i32) (result i32)
(local i32 i64 i32 i32 i32 f64 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i64 f32 f32 f32 i32 i32 i32 f32 f64 f64 f64 f64)
global.get 0
i32.const 1120
i32.sub
local.tee 4
global.set 0
local.get 4
local.get 0
i64.load align=4
i64.store offset=56
local.get 4
i32.const 64
i32.add
local.get 4
i32.const 56
i32.add
call 24
local.get 0
local.get 4
i64.load offset=64
local.tee 5
i64.store align=4
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 5
i64.const 32
i64.shr_u
local.tee 5
i64.eqz
br_if 0 (;@3;)
local.get 4
i32.const 1
i32.store offset=1100
local.get 4
i32.const 66094
i32.store offset=1096
local.get 4
local.get 0
i64.load align=4
i64.store offset=48
local.get 4
local.get 4
i64.load offset=1096 align=4
i64.store offset=40
local.get 4
i32.const 48
i32.add
local.get 4
i32.const 40
i32.add
call 14
i32.eqz
br_if 1 (;@2;)
end
call 108
i32.const 0
local.get 1
local.get 2
local.get 3
call 92
local.set 6
br 1 (;@1;)
end
block ;; label = @2
local.get 5
i32.wrap_i64
local.tee 7
i32.const 1
call 81
local.tee 6
br_if 0 (;@2;)
i32.const 0
local.set 6
br 1 (;@1;)
end
local.get 4
local.get 0
i64.load align=4
i64.store offset=32
local.get 6
local.get 4
i32.const 32
i32.add
call 23
i32.const 0
local.set 8
local.get 4
i32.const 64
i32.add
i32.const 0
i32.const 1032
memory.fill
local.get 4
local.get 7
i32.store offset=1108
local.get 4
local.get 6
i32.store offset=1104
local.get 4
local.get 4
i64.load offset=1104
i64.store offset=24
local.get 4
i32.const 64
i32.add
local.get 4
i32.const 24
i32.add
i32.const 0
call 93
block ;; label = @2
local.get 4
i32.load offset=1088
br_if 0 (;@2;)
local.get 4
local.get 4
i64.load offset=1104
i64.store offset=16
local.get 4
i32.const 64
i32.add
local.get 4
i32.const 16
i32.add
i32.const 1
call 93
local.get 4
i32.load offset=1088
br_if 0 (;@2;)
local.get 4
i32.const 64
i32.add
local.get 6
local.get 6
local.get 7
i32.add
i32.const 2
call 94
end
f64.const 0x1p+0 (;=1;)
local.set 9
block ;; label = @2
block ;; label = @3
block ;; label = @4
call 108
local.tee 10
br_if 0 (;@4;)
i32.const 0
local.set 11
i32.const 0
local.set 12
i32.const 0
local.set 13
br 1 (;@3;)
end
i64.const 0
local.set 14
i32.const 0
local.set 13
i32.const 0
local.set 12
i32.const 0
local.set 11
i32.const 0
local.set 15
i32.const 0
local.set 8
loop ;; label = @4
block ;; label = @5
local.get 2
local.get 10
call 124
i32.eqz
br_if 0 (;@5;)
local.get 10
i64.load32_u offset=124
local.set 5
local.get 4
i32.load offset=1088
local.set 16
block ;; label = @6
local.get 11
local.get 15
i32.lt_u
br_if 0 (;@6;)
i32.const 0
local.set 6
local.get 13
local.get 11
i32.const 4
i32.shl
local.get 15
i32.const 1
i32.shl
i32.const 64
local.get 15
select
local.tee 15
i32.const 4
i32.shl
call 95
local.tee 0
i32.eqz
br_if 4 (;@2;)
block ;; label = @7
local.get 12
local.get 16
i32.const 2
i32.shl
local.tee 7
local.get 11
i32.mul
local.get 7
local.get 15
i32.mul
call 95
local.tee 7
br_if 0 (;@7;)
local.get 0
local.set 13
br 5 (;@2;)
end
local.get 4
i32.load offset=1088
local.set 16
local.get 0
local.set 13
local.get 7
local.set 12
end
local.get 8
i32.const 1
i32.add
local.set 8
local.get 14
local.get 5
i64.add
local.set 14
local.get 16
i32.eqz
br_if 0 (;@5;)
local.get 12
local.get 16
local.get 11
i32.mul
i32.const 2
i32.shl
i32.add
local.set 17
local.get 10
i32.const 128
i32.add
local.set 18
i32.const 1
local.set 19
i32.const 0
local.set 20
loop ;; label = @6
local.get 4
i32.load offset=1088
local.set 21
block ;; label = @7
block ;; label = @8
loop ;; label = @9
local.get 17
local.get 20
i32.const 2
i32.shl
i32.add
local.tee 22
i32.const 0
i32.store
block ;; label = @10
block ;; label = @11
local.get 4
i32.const 64
i32.add
local.get 20
i32.const 5
i32.shl
i32.add
local.tee 23
i32.load8_u offset=10
i32.eqz
br_if 0 (;@11;)
local.get 18
local.get 23
i32.load offset=12
local.tee 0
i32.const 3
i32.shr_u
i32.const 536870904
i32.and
i32.add
i64.load
local.get 0
i64.extend_i32_u
i64.shr_u
i64.const 1
i64.and
i64.eqz
br_if 1 (;@10;)
end
local.get 23
i32.load
local.set 24
i64.const 0
local.set 25
block ;; label = @11
local.get 23
i32.load offset=4
local.tee 26
i32.const 2
i32.lt_u
local.tee 27
br_if 0 (;@11;)
local.get 24
i64.load8_u offset=1
i64.const 72340172838076673
i64.mul
local.set 25
end
local.get 10
i32.load offset=124
local.tee 0
i32.eqz
br_if 0 (;@10;)
local.get 10
i32.load offset=120
local.tee 28
local.get 0
i32.add
local.set 29
local.get 24
i64.load8_u
i64.const 72340172838076673
i64.mul
local.set 30
f32.const 0x0p+0 (;=0;)
local.set 31
f32.const 0x1p-1 (;=0.5;)
f32.const 0x0p+0 (;=0;)
local.get 26
i32.const 2
i32.gt_u
select
local.set 32
loop ;; label = @11
local.get 28
i64.load align=1
local.get 30
i64.xor
local.set 5
block ;; label = @12
local.get 27
br_if 0 (;@12;)
local.get 28
i64.load offset=1 align=1
local.get 25
i64.xor
local.get 5
i64.or
local.set 5
end
block ;; label = @12
local.get 5
i64.const -1
i64.xor
local.get 5
i64.const -72340172838076673
i64.add
i64.and
i64.const -9187201950435737472
i64.and
local.tee 5
i64.eqz
br_if 0 (;@12;)
loop ;; label = @13
f32.const 0x0p+0 (;=0;)
local.set 33
block ;; label = @14
local.get 26
local.get 10
i32.load offset=120
local.tee 34
local.get 10
i32.load offset=124
i32.add
local.tee 35
local.get 28
local.get 5
i64.ctz
i32.wrap_i64
i32.const 3
i32.shr_u
i32.add
local.tee 36
i32.sub
i32.gt_u
br_if 0 (;@14;)
block ;; label = @15
local.get 26
i32.eqz
br_if 0 (;@15;)
local.get 36
local.set 0
local.get 24
local.set 6
local.get 26
local.set 7
loop ;; label = @16
local.get 0
i32.load8_u
local.get 6
i32.load8_u
i32.ne
br_if 2 (;@14;)
local.get 0
i32.const 1
i32.add
local.set 0
local.get 6
i32.const 1
i32.add
local.set 6
local.get 7
i32.const -1
i32.add
local.tee 7
br_if 0 (;@16;)
end
end
f32.const 0x1p+0 (;=1;)
local.set 33
f32.const 0x1p+1 (;=2;)
f32.const 0x1p+0 (;=1;)
local.get 36
local.get 34
local.get 10
i32.load offset=88
i32.add
i32.lt_u
select
local.set 37
block ;; label = @15
local.get 23
i32.load8_u offset=9
br_if 0 (;@15;)
block ;; label = @16
local.get 36
local.get 34
i32.le_u
br_if 0 (;@16;)
local.get 36
local.get 34
call 20
local.tee 0
call 21
i32.eqz
br_if 0 (;@16;)
local.get 0
call 22
br_if 0 (;@16;)
f32.const 0x0p+0 (;=0;)
local.set 33
br 1 (;@15;)
end
local.get 36
local.get 26
i32.add
local.set 0
block ;; label = @16
local.get 23
i32.load8_u offset=8
i32.eqz
br_if 0 (;@16;)
block ;; label = @17
local.get 0
local.get 35
i32.ge_u
br_if 0 (;@17;)
local.get 0
i32.load8_u
i32.const 115
i32.ne
br_if 0 (;@17;)
f32.const 0x1p+0 (;=1;)
f32.const 0x1p-1 (;=0.5;)
local.get 0
i32.const 1
i32.add
local.get 35
call 96
select
local.set 33
br 2 (;@15;)
end
f32.const 0x1p-1 (;=0.5;)
f32.const 0x0p+0 (;=0;)
local.get 0
local.get 35
call 96
select
local.set 33
br 1 (;@15;)
end
f32.const 0x1p+0 (;=1;)
local.get 32
local.get 0
local.get 35
call 96
select
local.set 33
end
local.get 37
local.get 33
f32.mul
local.set 33
end
local.get 31
local.get 33
f32.add
local.set 31
local.get 5
i64.const -1
i64.add
local.get 5
i64.and
local.tee 5
i64.eqz
i32.eqz
br_if 0 (;@13;)
end
end
local.get 28
i32.const 8
i32.add
local.tee 28
local.get 29
i32.lt_u
br_if 0 (;@11;)
end
local.get 22
local.get 31
f32.store
local.get 31
f32.const 0x0p+0 (;=0;)
f32.gt
br_if 2 (;@8;)
end
local.get 20
i32.const 1
i32.add
local.tee 20
local.get 21
i32.lt_u
br_if 0 (;@9;)
end
local.get 19
i32.const 1
i32.and
i32.eqz
br_if 1 (;@7;)
br 3 (;@5;)
end
local.get 23
local.get 23
i32.load offset=16
i32.const 1
i32.add
i32.store offset=16
i32.const 0
local.set 19
local.get 20
i32.const 1
i32.add
local.tee 20
local.get 16
i32.lt_u
br_if 1 (;@6;)
end
end
local.get 13
local.get 11
i32.const 4
i32.shl
i32.add
local.get 10
i32.store
local.get 11
i32.const 1
i32.add
local.set 11
end
local.get 10
i32.load
local.tee 10
br_if 0 (;@4;)
end
local.get 14
i64.eqz
br_if 0 (;@3;)
local.get 14
f64.convert_i64_u
local.get 8
f64.convert_i32_u
f64.div
local.set 9
end
block ;; label = @3
local.get 4
i32.load offset=1088
local.tee 34
i32.eqz
br_if 0 (;@3;)
i32.const 0
local.set 6
loop ;; label = @4
f64.const 0x1p+0 (;=1;)
local.set 38
local.get 8
local.get 4
i32.const 64
i32.add
local.get 6
i32.const 5
i32.shl
i32.add
local.tee 7
i32.load offset=16
local.tee 0
i32.sub
f64.convert_i32_u
f64.const 0x1p-1 (;=0.5;)
f64.add
local.get 0
f64.convert_i32_u
f64.const 0x1p-1 (;=0.5;)
f64.add
f64.div
f64.const 0x1p+0 (;=1;)
f64.add
i64.reinterpret_f64
local.tee 5
i64.const 4503599627370495
i64.and
i64.const 4607182418800017408
i64.or
f64.reinterpret_i64
local.tee 39
f64.const -0x1p+0 (;=-1;)
f64.add
local.get 39
f64.const 0x1p+0 (;=1;)
f64.add
f64.div
local.tee 39
local.get 39
f64.mul
local.set 40
f64.const 0x0p+0 (;=0;)
local.set 41
i32.const -1
local.set 0
loop ;; label = @5
local.get 41
local.get 39
local.get 38
f64.div
f64.add
local.set 41
local.get 38
f64.const 0x1p+1 (;=2;)
f64.add
local.set 38
local.get 40
local.get 39
f64.mul
local.set 39
local.get 0
i32.const 2
i32.add
local.tee 0
i32.const 28
i32.lt_u
br_if 0 (;@5;)
end
local.get 7
local.get 5
i64.const 52
i64.shr_u
i32.wrap_i64
i32.const -1023
i32.add
f64.convert_i32_s
f64.const 0x1.62e42fefa39efp-1 (;=0.6931471805599453;)
f64.mul
local.get 41
local.get 41
f64.add
f64.add
f64.store offset=24
local.get 6
i32.const 1
i32.add
local.tee 6
local.get 34
i32.ne
br_if 0 (;@4;)
end
end
block ;; label = @3
local.get 11
i32.eqz
br_if 0 (;@3;)
local.get 34
i32.const 2
i32.shl
local.set 28
local.get 4
i32.const 88
i32.add
local.set 23
i32.const 0
local.set 26
local.get 12
local.set 35
loop ;; label = @4
local.get 13
local.get 26
i32.const 4
i32.shl
i32.add
local.tee 10
i64.const 0
i64.store offset=8
local.get 10
i32.load
local.set 36
f64.const 0x0p+0 (;=0;)
local.set 39
block ;; label = @5
local.get 34
i32.eqz
br_if 0 (;@5;)
local.get 36
i32.load offset=124
f64.convert_i32_u
f64.const 0x1.999999999999ap-3 (;=0.2;)
f64.mul
local.get 9
f64.div
f64.const 0x1.999999999999ap-1 (;=0.8;)
f64.add
f64.const 0x1.ccccccccccccdp-1 (;=0.9;)
f64.mul
local.set 41
f64.const 0x0p+0 (;=0;)
local.set 39
local.get 23
local.set 0
local.get 35
local.set 6
local.get 34
local.set 7
loop ;; label = @6
local.get 39
local.get 0
f64.load
f64.const 0x1.e666666666666p+0 (;=1.9;)
f64.mul
local.get 6
f32.load
f64.promote_f32
local.tee 38
f64.mul
local.get 41
local.get 38
f64.add
f64.div
f64.add
local.set 39
local.get 0
i32.const 32
i32.add
local.set 0
local.get 6
i32.const 4
i32.add
local.set 6
local.get 7
i32.const -1
i32.add
local.tee 7
br_if 0 (;@6;)
end
local.get 10
local.get 39
f64.store offset=8
end
local.get 10
local.get 39
f64.const 0x1p+0 (;=1;)
f64.const 0x0p+0 (;=0;)
local.get 36
f64.load offset=64
f64.const 0x1p-1 (;=0.5;)
local.get 36
i32.load8_u offset=56
select
local.tee 38
local.get 38
f64.const 0x0p+0 (;=0;)
f64.lt
select
local.tee 38
local.get 38
f64.const 0x1p+0 (;=1;)
f64.gt
select
f64.const -0x1p-1 (;=-0.5;)
f64.add
f64.const 0x1.3333333333333p-2 (;=0.3;)
f64.mul
f64.const 0x1p+0 (;=1;)
f64.add
f64.mul
f64.store offset=8
local.get 35
local.get 28
i32.add
local.set 35
local.get 26
i32.const 1
i32.add
local.tee 26
local.get 11
i32.ne
br_if 0 (;@4;)
end
end
local.get 1
local.get 11
i64.extend_i32_u
local.tee 5
local.get 1
local.get 5
i64.lt_u
select
local.tee 5
i32.wrap_i64
local.tee 36
i32.const 136
i32.mul
i32.const 8
call 81
local.set 0
local.get 3
local.get 36
i32.store offset=4
local.get 3
local.get 0
i32.store
block ;; label = @3
local.get 0
br_if 0 (;@3;)
i32.const 0
local.set 6
br 1 (;@2;)
end
i32.const 1
local.set 6
block ;; label = @3
local.get 11
i32.const 1
i32.shr_u
local.tee 0
i32.eqz
br_if 0 (;@3;)
local.get 0
i32.const -1
i32.add
local.set 0
loop ;; label = @4
local.get 13
local.get 11
local.get 0
call 97
local.get 0
i32.const -1
i32.add
local.tee 0
i32.const -1
i32.ne
br_if 0 (;@4;)
end
end
local.get 5
i64.eqz
br_if 0 (;@2;)
local.get 11
i32.const -1
i32.add
local.set 7
local.get 11
i32.const 4
i32.shl
local.get 13
i32.add
i32.const -16
i32.add
local.set 0
local.get 4
i32.const 1104
i32.add
i32.const 1
i32.or
local.set 26
i32.const 0
local.set 6
i32.const 0
local.set 10
loop ;; label = @3
local.get 13
i32.load
local.set 34
local.get 13
local.get 0
i64.load
i64.store
local.get 13
f64.load offset=8
local.set 39
local.get 13
local.get 0
i64.load offset=8
i64.store offset=8
local.get 13
local.get 7
i32.const 0
call 97
local.get 26
i32.const 0
i32.store offset=3 align=1
local.get 26
i32.const 0
i32.store align=1
local.get 4
local.get 39
f64.store offset=1112
local.get 4
i32.const 1
i32.store8 offset=1104
local.get 3
i32.load
local.set 35
local.get 4
local.get 4
i64.load offset=1112
i64.store offset=8
local.get 4
local.get 4
i64.load offset=1104
i64.store
local.get 34
local.get 4
local.get 35
local.get 10
i32.add
call 126
i32.eqz
br_if 1 (;@2;)
local.get 10
i32.const 136
i32.add
local.set 10
local.get 0
i32.const -16
i32.add
local.set 0
local.get 7
i32.const -1
i32.add
local.set 7
local.get 36
i32.const -1
i32.add
local.tee 36
br_if 0 (;@3;)
end
i32.const 1
local.set 6
end
local.get 13
call 80
local.get 12
call 80
end
local.get 4
i32.const 1120
i32.add
global.set 0
local.get 6
)
(func (;92;) (type 22) (param i32 i32 i64 i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 5
global.set 0
i32.const 0
local.set 6
i32.const 0
local.set 7
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 7
local.get 2
i64.eqz
br_if 0 (;@1;)
i32.const 0
local.set 7
i32.const 4
i32.const 0
local.get 1
select
local.set 8
local.get 0
local.set 9
loop ;; label = @2
local.get 3
local.get 9
call 124
local.get 7
i32.add
local.set 7
local.get 9
local.get 8
i32.add
i32.load
local.tee 9
i32.eqz
br_if 1 (;@1;)
local.get 2
local.get 7
i64.extend_i32_u
i64.gt_u
br_if 0 (;@2;)
end
end
local.get 7
i32.const 136
i32.mul
i32.const 8
call 81
local.set 9
local.get 4
i32.const 0
i32.store offset=4
local.get 4
local.get 9
i32.store
block ;; label = @1
local.get 9
i32.eqz
br_if 0 (;@1;)
block ;; label = @2
local.get 0
i32.eqz
br_if 0 (;@2;)
i32.const 4
i32.const 0
local.get 1
select
local.set 10
local.get 5
i32.const 16
i32.add
i32.const 1
i32.or
local.set 9
loop ;; label = @3
local.get 4
i32.load offset=4
local.get 7
i32.ge_u
br_if 1 (;@2;)
block ;; label = @4
local.get 3
local.get 0
call 124
i32.eqz
br_if 0 (;@4;)
local.get 9
i64.const 0
i64.store offset=7 align=1
local.get 9
i64.const 0
i64.store align=1
i32.const 0
local.set 6
local.get 5
i32.const 0
i32.store8 offset=16
local.get 4
i32.load
local.set 8
local.get 4
i32.load offset=4
local.set 1
local.get 5
local.get 5
i64.load offset=16
i64.store
local.get 5
local.get 5
i64.load offset=24
i64.store offset=8
local.get 0
local.get 5
local.get 8
local.get 1
i32.const 136
i32.mul
i32.add
call 126
i32.eqz
br_if 3 (;@1;)
local.get 4
local.get 4
i32.load offset=4
i32.const 1
i32.add
i32.store offset=4
end
local.get 0
local.get 10
i32.add
i32.load
local.tee 0
br_if 0 (;@3;)
end
end
i32.const 1
local.set 6
end
local.get 5
i32.const 32
i32.add
global.set 0
local.get 6
)
(func (;93;) (type 19) (param i32 i32 i32)
(local i32 i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 48
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 1
i32.load offset=4
local.tee 4
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.load
local.tee 5
local.get 4
i32.add
local.set 6
loop ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 5
local.tee 7
local.get 3
i32.const 28
i32.add
call 19
local.tee 8
call 21
i32.eqz
br_if 0 (;@4;)
local.get 7
local.get 3
i32.const 40
i32.add
call 19
call 22
local.set 4
local.get 7
local.set 5
loop ;; label = @5
local.get 5
local.get 3
i32.const 40
i32.add
call 19
local.tee 1
call 21
i32.eqz
br_if 2 (;@3;)
local.get 1
call 22
local.get 4
i32.ne
br_if 2 (;@3;)
local.get 5
local.get 3
i32.load offset=40
i32.add
local.tee 5
local.get 6
i32.lt_u
br_if 0 (;@5;)
br 2 (;@3;)
end
end
local.get 7
local.get 3
i32.load offset=28
i32.add
local.set 5
end
block ;; label = @3
block ;; label = @4
local.get 8
call 21
i32.eqz
br_if 0 (;@4;)
local.get 8
call 22
i32.eqz
br_if 0 (;@4;)
local.get 7
local.get 3
i32.const 40
i32.add
call 19
drop
block ;; label = @5
local.get 7
local.get 3
i32.load offset=40
local.tee 1
i32.add
local.get 5
i32.ne
br_if 0 (;@5;)
local.get 0
local.get 7
local.get 5
i32.const 1
call 94
local.get 3
i32.load offset=40
local.set 1
end
local.get 7
local.get 1
i32.add
local.tee 1
local.get 5
i32.ge_u
br_if 1 (;@3;)
loop ;; label = @5
local.get 1
local.get 3
i32.const 32
i32.add
call 19
drop
local.get 0
local.get 7
local.get 7
local.get 3
i32.load offset=40
i32.add
local.get 3
i32.load offset=32
i32.add
i32.const 1
call 94
local.get 3
i32.load offset=40
local.set 1
local.get 3
local.get 3
i32.load offset=32
local.tee 4
i32.store offset=40
local.get 4
local.get 7
local.get 1
i32.add
local.tee 7
i32.add
local.tee 1
local.get 5
i32.lt_u
br_if 0 (;@5;)
br 2 (;@3;)
end
end
local.get 8
call 21
i32.eqz
br_if 0 (;@3;)
block ;; label = @4
local.get 2
br_if 0 (;@4;)
local.get 3
local.get 7
i32.store offset=32
local.get 3
local.get 5
local.get 7
i32.sub
i32.store offset=36
i32.const 66177
local.set 8
loop ;; label = @5
i32.const 0
local.set 1
loop ;; label = @6
local.get 8
local.get 1
i32.add
local.set 4
local.get 1
i32.const 1
i32.add
local.tee 9
local.set 1
local.get 4
i32.load8_u
i32.const 32
i32.ne
br_if 0 (;@6;)
end
local.get 3
local.get 9
i32.const -1
i32.add
i32.store offset=44
local.get 3
local.get 3
i64.load offset=32
i64.store offset=16
local.get 3
local.get 8
i32.store offset=40
local.get 3
local.get 3
i64.load offset=40 align=4
i64.store offset=8
block ;; label = @6
local.get 3
i32.const 16
i32.add
local.get 3
i32.const 8
i32.add
call 14
local.tee 1
br_if 0 (;@6;)
local.get 8
local.get 9
i32.add
local.tee 8
i32.const 66411
i32.lt_u
br_if 1 (;@5;)
end
end
local.get 1
br_if 1 (;@3;)
end
local.get 0
local.get 7
local.get 5
i32.const 0
call 94
end
local.get 5
local.get 6
i32.lt_u
br_if 0 (;@2;)
end
end
local.get 3
i32.const 48
i32.add
global.set 0
)
(func (;94;) (type 20) (param i32 i32 i32 i32)
(local i32 i32 i64)
global.get 0
i32.const 64
i32.sub
local.tee 4
global.set 0
local.get 4
i64.const 0
i64.store offset=56
local.get 4
i64.const 0
i64.store offset=48
i32.const 0
local.set 5
local.get 4
i32.const 0
i32.store8 offset=43
local.get 4
i32.const 0
i32.store8 offset=40
local.get 4
local.get 3
i32.const 2
i32.ne
i32.store8 offset=42
local.get 4
local.get 3
i32.const 0
i32.ne
i32.store8 offset=41
local.get 4
local.get 1
i32.store offset=32
local.get 4
local.get 2
local.get 1
i32.sub
local.tee 1
i32.store offset=36
block ;; label = @1
local.get 3
br_if 0 (;@1;)
local.get 1
i32.const 4
i32.lt_u
br_if 0 (;@1;)
local.get 2
i32.const -1
i32.add
i32.load8_u
i32.const 115
i32.ne
br_if 0 (;@1;)
local.get 2
i32.const -2
i32.add
i32.load8_u
i32.const 115
i32.eq
br_if 0 (;@1;)
local.get 4
i32.const 1
i32.store8 offset=40
local.get 4
local.get 1
i32.const -1
i32.add
i32.store offset=36
end
local.get 4
local.get 4
i64.load offset=32
local.tee 6
i64.store offset=24
local.get 4
local.get 6
i64.const 32
i64.shr_u
local.tee 6
i32.wrap_i64
local.tee 1
local.get 1
i32.const 3
local.get 6
i64.const 3
i64.lt_u
select
local.get 3
select
i32.store offset=28
local.get 4
local.get 4
i64.load offset=24
i64.store offset=16
local.get 4
local.get 4
i32.const 16
i32.add
call 101
i32.store offset=44
block ;; label = @1
block ;; label = @2
local.get 0
i32.load offset=1024
i32.eqz
br_if 0 (;@2;)
i32.const 0
local.set 1
local.get 0
local.set 3
loop ;; label = @3
local.get 4
local.get 3
i64.load align=4
i64.store offset=8
local.get 4
local.get 4
i64.load offset=32
i64.store
local.get 4
i32.const 8
i32.add
local.get 4
call 14
br_if 2 (;@1;)
local.get 3
i32.const 32
i32.add
local.set 3
local.get 1
i32.const 1
i32.add
local.tee 1
local.get 0
i32.load offset=1024
local.tee 5
i32.lt_u
br_if 0 (;@3;)
end
local.get 5
i32.const 31
i32.gt_u
br_if 1 (;@1;)
end
local.get 0
local.get 5
i32.const 1
i32.add
i32.store offset=1024
local.get 0
local.get 5
i32.const 5
i32.shl
i32.add
local.tee 3
local.get 4
i64.load offset=32
i64.store
local.get 3
local.get 4
i64.load offset=40
i64.store offset=8
local.get 3
local.get 4
i64.load offset=48
i64.store offset=16
local.get 3
local.get 4
i64.load offset=56
i64.store offset=24
end
local.get 4
i32.const 64
i32.add
global.set 0
)
(func (;95;) (type 6) (param i32 i32 i32) (result i32)
local.get 2
call 75
local.set 2
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 1
i32.eqz
br_if 0 (;@3;)
local.get 2
i32.eqz
br_if 0 (;@3;)
local.get 2
local.get 0
local.get 1
call 13
drop
br 1 (;@2;)
end
local.get 2
i32.eqz
br_if 1 (;@1;)
end
local.get 0
call 80
end
local.get 2
)
(func (;96;) (type 7) (param i32 i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
i32.const 1
local.set 3
block ;; label = @1
local.get 0
local.get 1
i32.eq
br_if 0 (;@1;)
local.get 0
local.get 2
i32.const 12
i32.add
call 19
local.tee 0
call 21
i32.eqz
br_if 0 (;@1;)
local.get 0
call 22
i32.const 0
i32.ne
local.set 3
end
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;97;) (type 19) (param i32 i32 i32)
(local i32 i32 i32 i64 i64)
global.get 0
i32.const 16
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 2
i32.const 1
i32.shl
local.tee 4
i32.const 1
i32.or
local.tee 5
local.get 1
i32.ge_u
br_if 0 (;@1;)
loop ;; label = @2
block ;; label = @3
block ;; label = @4
local.get 4
i32.const 2
i32.add
local.tee 4
local.get 1
i32.lt_u
br_if 0 (;@4;)
local.get 5
local.set 4
br 1 (;@3;)
end
local.get 4
local.get 5
local.get 0
local.get 4
i32.const 4
i32.shl
i32.add
local.get 0
local.get 5
i32.const 4
i32.shl
i32.add
call 100
select
local.set 4
end
local.get 0
local.get 4
i32.const 4
i32.shl
i32.add
local.tee 5
local.get 0
local.get 2
i32.const 4
i32.shl
i32.add
local.tee 2
call 100
i32.eqz
br_if 1 (;@1;)
local.get 2
i64.load offset=8
local.set 6
local.get 2
local.get 5
i64.load offset=8
i64.store offset=8
local.get 2
i64.load
local.set 7
local.get 2
local.get 5
i64.load
i64.store
local.get 5
local.get 7
i64.store
local.get 5
local.get 6
i64.store offset=8
local.get 4
local.set 2
local.get 4
i32.const 1
i32.shl
local.tee 4
i32.const 1
i32.or
local.tee 5
local.get 1
i32.lt_u
br_if 0 (;@2;)
end
end
local.get 3
i32.const 16
i32.add
global.set 0
)
(func (;98;) (type 23) (param i64 i32 i32) (result i32)
call 108
i32.const 0
local.get 0
local.get 1
local.get 2
call 92
)
(func (;99;) (type 7) (param i32 i32) (result i32)
call 111
i32.const 1
i64.const -1
local.get 0
local.get 1
call 92
)
(func (;100;) (type 7) (param i32 i32) (result i32)
(local i32 f64 f64 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 2
global.set 0
block ;; label = @1
block ;; label = @2
local.get 0
f64.load offset=8
local.tee 3
local.get 1
f64.load offset=8
local.tee 4
f64.eq
br_if 0 (;@2;)
local.get 3
local.get 4
f64.gt
local.set 1
br 1 (;@1;)
end
local.get 1
i32.load
local.set 5
local.get 2
local.get 0
i32.load
local.tee 6
i64.load offset=40
i64.store offset=24
local.get 2
local.get 6
i64.load offset=32
i64.store offset=16
local.get 2
local.get 5
i64.load offset=32
i64.store
local.get 2
local.get 5
i64.load offset=40
i64.store offset=8
block ;; label = @2
local.get 2
i32.const 16
i32.add
local.get 2
call 84
local.tee 5
i32.eqz
br_if 0 (;@2;)
local.get 5
i32.const 0
i32.gt_s
local.set 1
br 1 (;@1;)
end
local.get 0
i32.load
i64.load offset=24
local.get 1
i32.load
i64.load offset=24
i64.gt_u
local.set 1
end
local.get 2
i32.const 32
i32.add
global.set 0
local.get 1
)
(func (;101;) (type 4) (param i32) (result i32)
(local i32)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
local.get 1
local.get 0
i64.load align=4
i64.store offset=8
local.get 1
i32.const 8
i32.add
call 16
local.set 0
local.get 1
i32.const 16
i32.add
global.set 0
local.get 0
i32.const 255
i32.and
)
(func (;102;) (type 9) (param i32 i32)
(local i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 48
i32.sub
local.tee 2
global.set 0
block ;; label = @1
local.get 1
i32.load offset=4
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.load
local.tee 1
local.get 3
i32.add
local.set 4
i32.const 0
local.set 5
i32.const 0
local.set 3
loop ;; label = @2
local.get 5
local.set 6
block ;; label = @3
block ;; label = @4
block ;; label = @5
block ;; label = @6
block ;; label = @7
local.get 1
local.get 2
i32.const 36
i32.add
call 19
local.tee 5
call 21
i32.eqz
br_if 0 (;@7;)
local.get 3
local.get 1
local.get 3
local.get 5
call 22
local.tee 7
i32.or
select
local.tee 3
i32.eqz
br_if 3 (;@4;)
local.get 7
i32.eqz
br_if 1 (;@6;)
local.get 1
local.set 7
br 2 (;@5;)
end
local.get 1
local.set 7
local.get 3
br_if 1 (;@5;)
br 2 (;@4;)
end
local.get 4
local.set 7
local.get 1
local.get 2
i32.load offset=36
i32.add
local.get 4
i32.ne
br_if 2 (;@3;)
end
local.get 2
local.get 3
i32.store offset=40
local.get 2
local.get 3
i32.const 3
i32.add
local.get 7
local.get 7
local.get 3
i32.sub
i32.const 3
i32.gt_u
select
local.get 3
i32.sub
i32.store offset=44
local.get 2
local.get 2
i64.load offset=40
i64.store offset=24
local.get 0
local.get 2
i32.const 24
i32.add
call 16
local.tee 3
i32.const 3
i32.shr_u
i32.const 24
i32.and
i32.add
local.tee 7
i64.const 1
local.get 3
i64.extend_i32_u
i64.shl
local.get 7
i64.load
i64.or
i64.store
end
i32.const 0
local.set 3
end
block ;; label = @3
block ;; label = @4
local.get 5
call 22
br_if 0 (;@4;)
i32.const 0
local.set 5
br 1 (;@3;)
end
local.get 2
local.get 2
i32.load offset=36
i32.store offset=44
local.get 2
local.get 1
i32.store offset=40
local.get 2
local.get 2
i64.load offset=40
i64.store offset=16
local.get 0
local.get 2
i32.const 16
i32.add
call 16
local.tee 5
i32.const 3
i32.shr_u
i32.const 24
i32.and
i32.add
local.tee 7
i64.const 1
local.get 5
i64.extend_i32_u
i64.shl
local.get 7
i64.load
i64.or
i64.store
local.get 1
local.set 5
local.get 6
i32.eqz
br_if 0 (;@3;)
local.get 2
i32.load offset=36
local.set 5
local.get 2
local.get 6
i32.store offset=40
local.get 2
local.get 1
local.get 5
i32.add
local.get 6
i32.sub
i32.store offset=44
local.get 2
local.get 2
i64.load offset=40
i64.store offset=8
local.get 0
local.get 2
i32.const 8
i32.add
call 16
local.tee 5
i32.const 3
i32.shr_u
i32.const 24
i32.and
i32.add
local.tee 6
i64.const 1
local.get 5
i64.extend_i32_u
i64.shl
local.get 6
i64.load
i64.or
i64.store
local.get 1
local.set 5
end
local.get 1
local.get 2
i32.load offset=36
i32.add
local.tee 1
local.get 4
i32.lt_u
br_if 0 (;@2;)
end
end
local.get 2
i32.const 48
i32.add
global.set 0
)
(func (;103;) (type 9) (param i32 i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
block ;; label = @1
i32.const 36
i32.const 1
call 81
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 1
i64.load align=4
i64.store offset=8
local.get 3
local.get 2
i32.const 8
i32.add
call 127
end
local.get 0
i32.const 36
i32.store offset=4
local.get 0
local.get 3
i32.store
local.get 2
i32.const 16
i32.add
global.set 0
)
(func (;104;) (type 4) (param i32) (result i32)
(local i32 i64 i32 i32)
global.get 0
i32.const 80
i32.sub
local.tee 1
global.set 0
local.get 1
local.get 0
i64.load align=4
local.tee 2
i64.store offset=72
block ;; label = @1
block ;; label = @2
i32.const 36
i32.const 1
call 81
local.tee 0
br_if 0 (;@2;)
i32.const 0
local.set 3
br 1 (;@1;)
end
local.get 1
local.get 1
i64.load offset=72
i64.store offset=40
local.get 0
local.get 1
i32.const 40
i32.add
call 127
local.get 1
i32.const 36
i32.store offset=68
local.get 1
local.get 0
i32.store offset=64
local.get 1
local.get 1
i64.load offset=64
i64.store offset=72
i32.const 67208
local.set 0
block ;; label = @2
loop ;; label = @3
local.get 0
i32.load
local.tee 0
i32.eqz
br_if 1 (;@2;)
local.get 1
local.get 0
i64.load offset=16 align=4
i64.store offset=32
local.get 1
local.get 1
i64.load offset=72
i64.store offset=24
local.get 1
i32.const 32
i32.add
local.get 1
i32.const 24
i32.add
call 14
i32.eqz
br_if 0 (;@3;)
end
local.get 0
i32.load8_u offset=4
i32.eqz
br_if 0 (;@2;)
local.get 0
local.set 3
br 1 (;@1;)
end
local.get 1
i32.const 0
i32.store16 offset=53 align=1
local.get 1
i32.const 1
i32.store8 offset=52
local.get 1
i32.const 0
i32.store8 offset=55
local.get 1
local.get 2
i64.store offset=56 align=4
local.get 1
local.get 1
i64.load offset=64
i64.store offset=16
local.get 1
local.get 1
i64.load offset=52 align=4
i64.store
local.get 1
local.get 1
i32.load offset=60
i32.store offset=8
local.get 1
i32.const 16
i32.add
local.get 1
call 105
local.set 3
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 3
i32.eqz
br_if 0 (;@1;)
block ;; label = @2
i32.const 0
i32.load offset=67168
local.tee 4
i32.eqz
br_if 0 (;@2;)
loop ;; label = @3
block ;; label = @4
local.get 4
i32.load offset=52
local.get 0
i32.ne
br_if 0 (;@4;)
local.get 4
local.get 3
i32.store offset=52
end
local.get 4
i32.load
local.tee 4
br_if 0 (;@3;)
end
end
local.get 3
local.get 0
i32.load offset=24
i32.store offset=24
local.get 0
i32.const 0
i32.store offset=24
local.get 0
call 106
end
local.get 1
i32.const 80
i32.add
global.set 0
local.get 3
)
(func (;105;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 2
global.set 0
block ;; label = @1
local.get 0
i32.load offset=4
local.tee 3
local.get 1
i32.load offset=8
i32.const 0
local.get 1
i32.load8_u
local.tee 4
select
local.tee 5
i32.add
i32.const 28
i32.add
call 75
local.tee 6
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 0
i64.load align=4
i64.store offset=16
local.get 6
i32.const 28
i32.add
local.tee 0
local.get 2
i32.const 16
i32.add
call 17
local.set 7
local.get 2
local.get 5
i32.store offset=28
local.get 2
local.get 1
i32.load offset=4
i32.store offset=24
local.get 2
local.get 2
i64.load offset=24 align=4
i64.store offset=8
local.get 7
local.get 2
i32.const 8
i32.add
call 17
drop
local.get 6
i32.const 0
i32.load offset=67208
i32.store
local.get 6
i32.const 0
i32.store16 offset=5 align=1
local.get 6
local.get 4
i32.store8 offset=4
local.get 6
i32.const 0
i32.store8 offset=7
local.get 6
i32.const 0
i32.store offset=24
local.get 6
local.get 3
i32.store offset=20
local.get 6
local.get 0
i32.store offset=16
local.get 6
local.get 5
i32.store offset=12
local.get 6
local.get 0
local.get 3
i32.add
i32.store offset=8
i32.const 0
local.get 6
i32.store offset=67208
end
local.get 2
i32.const 32
i32.add
global.set 0
local.get 6
)
(func (;106;) (type 0) (param i32)
(local i32 i32)
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.load offset=24
br_if 0 (;@1;)
local.get 0
i32.load8_u offset=4
br_if 0 (;@1;)
i32.const 67208
local.set 1
loop ;; label = @2
local.get 1
local.tee 2
i32.load
local.tee 1
local.get 0
i32.ne
br_if 0 (;@2;)
end
local.get 2
local.get 0
i32.load
i32.store
local.get 0
call 80
end
)
(func (;107;) (type 0) (param i32)
(local i32 i32 i32)
i32.const 0
i32.load offset=67172
i32.const 0
i32.load offset=67176
i32.const -1
i32.add
local.get 0
i32.load offset=48
i32.and
i32.const 2
i32.shl
i32.add
local.set 1
loop ;; label = @1
local.get 1
local.tee 2
i32.load
local.tee 3
i32.const 8
i32.add
local.set 1
local.get 3
local.get 0
i32.ne
br_if 0 (;@1;)
end
local.get 2
local.get 0
i32.load offset=8
i32.store
local.get 0
i32.load offset=4
local.set 1
block ;; label = @1
block ;; label = @2
local.get 0
i32.load
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 1
i32.store offset=4
br 1 (;@1;)
end
i32.const 0
local.get 1
i32.store offset=67180
end
local.get 0
i32.load
local.set 3
block ;; label = @1
block ;; label = @2
local.get 1
i32.eqz
br_if 0 (;@2;)
local.get 1
local.get 3
i32.store
br 1 (;@1;)
end
i32.const 0
local.get 3
i32.store offset=67168
end
i32.const 0
i32.const 0
i32.load offset=67184
i32.const -1
i32.add
i32.store offset=67184
block ;; label = @1
local.get 0
i32.load offset=52
local.tee 1
i32.eqz
br_if 0 (;@1;)
local.get 1
local.get 1
i32.load offset=24
i32.const -1
i32.add
i32.store offset=24
end
local.get 1
call 106
local.get 0
call 80
)
(func (;108;) (type 3) (result i32)
block ;; label = @1
i32.const 0
i32.load8_u offset=67188
i32.eqz
br_if 0 (;@1;)
call 109
end
i32.const 0
i32.load offset=67168
)
(func (;109;) (type 18)
(local i32 i32 i32 i32 i32)
global.get 0
i32.const 128
i32.sub
local.tee 0
global.set 0
local.get 0
i32.const 0
i32.const 128
memory.fill
block ;; label = @1
i32.const 0
i32.load offset=67180
local.tee 1
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 2
loop ;; label = @2
local.get 1
i32.load offset=4
local.set 3
local.get 1
i32.const 0
i32.store offset=4
local.get 0
local.set 4
block ;; label = @3
local.get 2
i32.eqz
br_if 0 (;@3;)
loop ;; label = @4
local.get 2
local.get 1
call 110
local.set 1
local.get 4
i32.const 0
i32.store
local.get 4
i32.const 4
i32.add
local.tee 4
i32.load
local.tee 2
br_if 0 (;@4;)
end
end
local.get 4
local.get 1
i32.store
local.get 3
i32.eqz
br_if 1 (;@1;)
local.get 0
i32.load
local.set 2
local.get 3
local.set 1
br 0 (;@2;)
end
end
i32.const 0
i32.const 0
i32.store offset=67180
i32.const 0
local.set 1
i32.const 0
local.set 4
loop ;; label = @1
i32.const 0
local.get 0
local.get 1
i32.add
i32.load
local.get 4
call 110
local.tee 4
i32.store offset=67180
local.get 1
i32.const 4
i32.add
local.tee 1
i32.const 128
i32.ne
br_if 0 (;@1;)
end
i32.const 0
i32.const 0
i32.store offset=67168
block ;; label = @1
local.get 4
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 1
loop ;; label = @2
local.get 4
local.get 1
i32.store
i32.const 0
local.get 4
i32.store offset=67168
local.get 4
local.set 1
local.get 4
i32.load offset=4
local.tee 2
local.set 4
local.get 2
br_if 0 (;@2;)
end
end
i32.const 0
i32.const 0
i32.store8 offset=67188
local.get 0
i32.const 128
i32.add
global.set 0
)
(func (;110;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32 i32)
global.get 0
i32.const 192
i32.sub
local.tee 2
global.set 0
local.get 0
i32.const 0
i32.ne
local.set 3
local.get 2
i32.const 32
i32.add
local.set 4
block ;; label = @1
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 1
i32.eqz
br_if 0 (;@1;)
local.get 2
i32.const 32
i32.add
local.set 5
loop ;; label = @2
local.get 2
local.get 1
i64.load offset=40
i64.store offset=24
local.get 2
local.get 1
i64.load offset=32
i64.store offset=16
local.get 2
local.get 0
i64.load offset=32
i64.store
local.get 2
local.get 0
i64.load offset=40
i64.store offset=8
block ;; label = @3
block ;; label = @4
local.get 2
i32.const 16
i32.add
local.get 2
call 84
local.tee 3
i32.eqz
br_if 0 (;@4;)
local.get 3
i32.const -1
i32.gt_s
local.set 3
br 1 (;@3;)
end
local.get 1
i64.load offset=24
local.get 0
i64.load offset=24
i64.ge_u
local.set 3
end
local.get 5
local.get 0
local.get 1
local.get 3
select
local.tee 4
i32.store offset=4
local.get 1
local.get 4
i32.load offset=4
local.tee 5
local.get 3
select
local.set 1
local.get 5
local.get 0
local.get 3
select
local.tee 0
i32.const 0
i32.ne
local.set 3
local.get 0
i32.eqz
br_if 1 (;@1;)
local.get 4
local.set 5
local.get 1
br_if 0 (;@2;)
end
end
local.get 4
local.get 0
local.get 1
local.get 3
select
i32.store offset=4
local.get 2
i32.load offset=36
local.set 0
local.get 2
i32.const 192
i32.add
global.set 0
local.get 0
)
(func (;111;) (type 3) (result i32)
block ;; label = @1
i32.const 0
i32.load8_u offset=67188
i32.eqz
br_if 0 (;@1;)
call 109
end
i32.const 0
i32.load offset=67180
)
(func (;112;) (type 3) (result i32)
i32.const 0
i32.load offset=67184
)
(func (;113;) (type 3) (result i32)
(local i32 i32 i32)
i32.const 0
i32.load offset=67184
local.set 0
i32.const 64
local.set 1
loop ;; label = @1
local.get 1
local.tee 2
i32.const 1
i32.shl
local.set 1
local.get 2
local.get 0
i32.lt_u
br_if 0 (;@1;)
end
local.get 2
call 114
)
(func (;114;) (type 4) (param i32) (result i32)
(local i32 i32 i32)
block ;; label = @1
local.get 0
i32.const 2
i32.shl
local.tee 1
call 75
local.tee 2
br_if 0 (;@1;)
i32.const 0
return
end
local.get 2
i32.const 0
local.get 1
call 12
drop
i32.const 0
i32.load offset=67172
call 80
i32.const 0
local.get 0
i32.store offset=67176
i32.const 0
local.get 2
i32.store offset=67172
block ;; label = @1
i32.const 0
i32.load offset=67180
local.tee 1
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const -1
i32.add
local.set 3
loop ;; label = @2
local.get 1
local.get 2
local.get 1
i32.load offset=48
local.get 3
i32.and
i32.const 2
i32.shl
i32.add
local.tee 0
i32.load
i32.store offset=8
local.get 0
local.get 1
i32.store
local.get 1
i32.load offset=4
local.tee 1
br_if 0 (;@2;)
end
end
i32.const 1
)
(func (;115;) (type 3) (result i32)
(local i32 i32 i32 i32 i32 i32)
i32.const 67168
local.set 0
i32.const -1
local.set 1
loop ;; label = @1
local.get 1
i32.const 1
i32.add
local.set 1
local.get 0
i32.load
local.tee 0
br_if 0 (;@1;)
end
i32.const 0
local.set 2
block ;; label = @1
i32.const 0
i32.load offset=67176
local.tee 3
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 2
i32.const 0
i32.load offset=67172
local.set 4
i32.const 0
local.set 5
loop ;; label = @2
block ;; label = @3
local.get 4
local.get 5
i32.const 2
i32.shl
i32.add
i32.load
local.tee 0
i32.eqz
br_if 0 (;@3;)
loop ;; label = @4
local.get 2
i32.const 1
i32.add
local.set 2
local.get 0
i32.load offset=8
local.tee 0
br_if 0 (;@4;)
end
end
local.get 5
i32.const 1
i32.add
local.tee 5
local.get 3
i32.ne
br_if 0 (;@2;)
end
end
i32.const 0
i32.load offset=67184
local.tee 0
local.get 1
i32.eq
local.get 2
local.get 0
i32.eq
i32.and
)
(func (;116;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32 i32 i64 i32)
global.get 0
i32.const 48
i32.sub
local.tee 2
global.set 0
local.get 2
local.get 0
i64.load align=4
i64.store offset=24
local.get 2
i32.const 24
i32.add
call 16
local.set 3
local.get 2
local.get 0
i64.load align=4
i64.store offset=16
i32.const 0
local.set 4
block ;; label = @1
local.get 2
i32.const 16
i32.add
local.get 3
call 117
local.tee 0
i32.eqz
br_if 0 (;@1;)
local.get 2
i32.const 32
i32.add
i32.const 4
i32.or
local.set 5
block ;; label = @2
loop ;; label = @3
local.get 2
local.get 1
i32.load offset=8
i32.store offset=40
local.get 2
local.get 1
i64.load align=4
local.tee 6
i64.store offset=32
local.get 6
i32.wrap_i64
local.set 3
block ;; label = @4
block ;; label = @5
local.get 0
i32.load offset=52
local.tee 7
i32.eqz
br_if 0 (;@5;)
local.get 3
i32.const 255
i32.and
i32.eqz
br_if 0 (;@5;)
local.get 2
local.get 7
i64.load offset=16 align=4
i64.store offset=8
local.get 2
local.get 5
i64.load align=4
i64.store
local.get 2
i32.const 8
i32.add
local.get 2
call 14
i32.eqz
br_if 1 (;@4;)
br 3 (;@2;)
end
local.get 7
br_if 0 (;@4;)
local.get 3
i32.const 255
i32.and
i32.eqz
br_if 2 (;@2;)
end
local.get 0
call 118
local.tee 0
br_if 0 (;@3;)
br 2 (;@1;)
end
end
local.get 0
local.set 4
end
local.get 2
i32.const 48
i32.add
global.set 0
local.get 4
)
(func (;117;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 2
global.set 0
i32.const 0
local.set 3
block ;; label = @1
i32.const 0
i32.load offset=67172
local.tee 4
i32.eqz
br_if 0 (;@1;)
i32.const 0
local.set 3
local.get 4
i32.const 0
i32.load offset=67176
i32.const -1
i32.add
local.get 1
i32.and
i32.const 2
i32.shl
i32.add
i32.load
local.tee 4
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
block ;; label = @3
local.get 4
i32.load offset=48
local.get 1
i32.ne
br_if 0 (;@3;)
local.get 2
local.get 4
i64.load offset=84 align=4
i64.store offset=8
local.get 2
local.get 0
i64.load align=4
i64.store
local.get 2
i32.const 8
i32.add
local.get 2
call 14
i32.eqz
br_if 0 (;@3;)
local.get 4
local.set 3
br 2 (;@1;)
end
local.get 4
i32.load offset=8
local.tee 4
br_if 0 (;@2;)
end
end
local.get 2
i32.const 16
i32.add
global.set 0
local.get 3
)
(func (;118;) (type 4) (param i32) (result i32)
(local i32 i32 i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
i32.const 0
local.set 2
block ;; label = @1
local.get 0
i32.load offset=8
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 84
i32.add
local.set 4
loop ;; label = @2
block ;; label = @3
local.get 3
i32.load offset=48
local.get 0
i32.load offset=48
i32.ne
br_if 0 (;@3;)
local.get 1
local.get 3
i64.load offset=84 align=4
i64.store offset=8
local.get 1
local.get 4
i64.load align=4
i64.store
local.get 1
i32.const 8
i32.add
local.get 1
call 14
i32.eqz
br_if 0 (;@3;)
local.get 3
local.set 2
br 2 (;@1;)
end
local.get 3
i32.load offset=8
local.tee 3
br_if 0 (;@2;)
end
end
local.get 1
i32.const 16
i32.add
global.set 0
local.get 2
)
(func (;119;) (type 4) (param i32) (result i32)
(local i32 i32)
global.get 0
i32.const 16
i32.sub
local.tee 1
global.set 0
local.get 1
local.get 0
i64.load align=4
i64.store offset=8
local.get 1
i32.const 8
i32.add
call 16
local.set 2
local.get 1
local.get 0
i64.load align=4
i64.store
block ;; label = @1
block ;; label = @2
local.get 1
local.get 2
call 117
local.tee 0
br_if 0 (;@2;)
i32.const 0
local.set 2
br 1 (;@1;)
end
i32.const 0
local.set 2
loop ;; label = @2
block ;; label = @3
local.get 0
i32.load offset=52
br_if 0 (;@3;)
local.get 0
local.set 2
br 2 (;@1;)
end
block ;; label = @3
block ;; label = @4
local.get 2
i32.eqz
br_if 0 (;@4;)
local.get 2
i64.load offset=24
local.get 0
i64.load offset=24
i64.ge_u
br_if 1 (;@3;)
end
local.get 0
local.set 2
end
local.get 0
call 118
local.tee 0
br_if 0 (;@2;)
end
end
local.get 1
i32.const 16
i32.add
global.set 0
local.get 2
)
(func (;120;) (type 4) (param i32) (result i32)
(local i32 i32 i32 i32)
global.get 0
i32.const 32
i32.sub
local.tee 1
global.set 0
local.get 1
local.get 0
i64.load align=4
i64.store offset=24
i32.const 0
i32.load offset=67184
local.set 2
local.get 1
i32.const 24
i32.add
call 16
local.set 3
local.get 1
local.get 0
i64.load align=4
i64.store offset=16
block ;; label = @1
local.get 1
i32.const 16
i32.add
local.get 3
call 117
local.tee 4
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 4
call 107
local.get 1
local.get 0
i64.load align=4
i64.store offset=8
local.get 1
i32.const 8
i32.add
local.get 3
call 117
local.tee 4
br_if 0 (;@2;)
end
end
i32.const 0
i32.load offset=67184
local.set 4
local.get 1
i32.const 32
i32.add
global.set 0
local.get 2
local.get 4
i32.sub
)
(func (;121;) (type 4) (param i32) (result i32)
(local i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32 i64)
global.get 0
i32.const 208
i32.sub
local.tee 1
global.set 0
i32.const 0
local.set 2
block ;; label = @1
block ;; label = @2
block ;; label = @3
i32.const 0
i32.load offset=67172
i32.eqz
br_if 0 (;@3;)
i32.const 0
i32.load offset=67184
i32.const 0
i32.load offset=67176
local.tee 3
i32.lt_u
br_if 1 (;@2;)
local.get 3
i32.const 1
i32.shl
call 114
drop
br 1 (;@2;)
end
i32.const 64
call 114
i32.eqz
br_if 1 (;@1;)
end
block ;; label = @2
block ;; label = @3
local.get 0
i32.load8_u offset=40
br_if 0 (;@3;)
i32.const 7
local.set 4
i32.const 65881
local.set 5
br 1 (;@2;)
end
local.get 0
i32.load offset=44
local.set 5
local.get 0
i32.load offset=48
local.set 4
end
i32.const 0
local.set 6
i32.const 66156
local.set 7
i32.const 66156
local.set 8
i32.const 0
local.set 9
block ;; label = @2
local.get 0
i32.load8_u offset=28
i32.eqz
br_if 0 (;@2;)
local.get 0
i32.load offset=32
local.set 8
local.get 0
i32.load offset=36
local.set 9
end
block ;; label = @2
local.get 0
i32.load8_u offset=16
i32.const 3
i32.ne
br_if 0 (;@2;)
local.get 0
i32.load offset=20
local.set 7
local.get 0
i32.load offset=24
local.set 6
end
i32.const 0
local.set 2
local.get 4
i64.extend_i32_u
local.get 9
i64.extend_i32_u
i64.add
local.get 6
i64.extend_i32_u
i64.add
local.get 0
i64.load32_u offset=12
local.get 0
i64.load32_u offset=4
i64.add
i64.const 1
i64.shl
i64.add
i64.const 160
i64.add
local.tee 10
i64.const 4294967286
i64.gt_u
br_if 0 (;@1;)
local.get 10
i32.wrap_i64
i32.const 9
i32.add
call 75
local.tee 3
i32.eqz
br_if 0 (;@1;)
local.get 1
local.get 0
i64.load align=4
i64.store offset=160
local.get 3
local.get 1
i32.const 160
i32.add
call 16
i32.store offset=48
local.get 3
local.get 0
i64.load offset=64
i64.store offset=56
local.get 3
local.get 0
i64.load offset=72
i64.store offset=64
local.get 1
local.get 0
i64.load align=4
local.tee 10
i64.store offset=168
local.get 1
local.get 10
i64.store offset=152
local.get 3
i32.const 160
i32.add
local.tee 11
local.get 1
i32.const 152
i32.add
call 17
local.set 2
local.get 3
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=88
local.get 3
local.get 11
i32.store offset=84
local.get 1
local.get 0
i64.load offset=8 align=4
local.tee 10
i64.store offset=168
local.get 1
local.get 10
i64.store offset=144
local.get 2
local.get 1
i32.const 144
i32.add
call 17
local.set 11
local.get 3
local.get 10
i64.const 32
i64.shr_u
i64.store32 offset=96
local.get 3
local.get 2
i32.store offset=92
local.get 1
local.get 4
i32.store offset=172
local.get 1
local.get 5
i32.store offset=168
local.get 1
local.get 1
i64.load offset=168
i64.store offset=136
local.get 11
local.get 1
i32.const 136
i32.add
call 17
local.set 2
local.get 3
local.get 4
i32.store offset=104
local.get 3
local.get 11
i32.store offset=100
local.get 0
i32.load8_u offset=28
local.set 5
local.get 1
local.get 9
i32.store offset=172
local.get 1
local.get 8
i32.store offset=168
local.get 1
local.get 1
i64.load offset=168
i64.store offset=128
local.get 2
local.get 1
i32.const 128
i32.add
call 17
local.set 4
local.get 3
i32.const 0
i32.store16 offset=109 align=1
local.get 3
local.get 5
i32.store8 offset=108
local.get 3
i32.const 0
i32.store8 offset=111
local.get 3
local.get 9
i32.store offset=116
local.get 3
local.get 2
i32.store offset=112
local.get 0
i32.load8_u offset=16
local.set 9
local.get 1
local.get 6
i32.store offset=172
local.get 1
local.get 7
i32.store offset=168
local.get 1
local.get 1
i64.load offset=168
i64.store offset=120
local.get 4
local.get 1
i32.const 120
i32.add
call 17
local.set 2
local.get 3
i32.const 0
i32.store16 offset=73 align=1
local.get 3
local.get 9
i32.store8 offset=72
local.get 3
i32.const 0
i32.store8 offset=75
local.get 3
local.get 6
i32.store offset=80
local.get 3
local.get 4
i32.store offset=76
local.get 1
local.get 0
i64.load offset=8
local.tee 12
i64.store offset=168
local.get 1
local.get 0
i64.load
local.tee 10
i64.store offset=112
local.get 1
local.get 10
i64.store offset=200
local.get 2
local.get 1
i32.const 112
i32.add
call 23
local.get 2
local.get 10
i64.const 32
i64.shr_u
i32.wrap_i64
local.tee 9
i32.add
local.tee 6
i32.const 0
i32.store8
local.get 1
local.get 1
i64.load offset=168
i64.store offset=104
local.get 6
i32.const 1
i32.add
local.get 1
i32.const 104
i32.add
call 23
local.get 2
local.get 12
i64.const 32
i64.shr_u
i32.wrap_i64
local.get 9
i32.add
i32.const 1
i32.add
local.tee 9
i32.add
i32.const 0
i32.const 8
call 12
drop
local.get 3
local.get 9
i32.store offset=124
local.get 3
local.get 2
i32.store offset=120
local.get 3
i64.const 0
i64.store offset=128
local.get 3
i64.const 0
i64.store offset=136
local.get 3
i64.const 0
i64.store offset=144
local.get 3
i64.const 0
i64.store offset=152
local.get 1
local.get 3
i64.load offset=120 align=4
i64.store offset=96
local.get 3
i32.const 128
i32.add
local.get 1
i32.const 96
i32.add
call 102
local.get 3
i32.const 0
i32.store offset=52
block ;; label = @2
local.get 0
i32.load8_u offset=52
i32.eqz
br_if 0 (;@2;)
local.get 1
local.get 0
i64.load offset=56 align=4
i64.store offset=168
local.get 0
i32.const 56
i32.add
local.set 9
i32.const 67208
local.set 2
block ;; label = @3
loop ;; label = @4
local.get 2
i32.load
local.tee 2
i32.eqz
br_if 1 (;@3;)
local.get 1
local.get 2
i64.load offset=16 align=4
i64.store offset=88
local.get 1
local.get 1
i64.load offset=168
i64.store offset=80
local.get 1
i32.const 88
i32.add
local.get 1
i32.const 80
i32.add
call 14
i32.eqz
br_if 0 (;@4;)
end
local.get 3
local.get 2
i32.store offset=52
br 1 (;@2;)
end
i32.const 0
local.set 2
local.get 3
i32.const 0
i32.store offset=52
local.get 1
i32.const 0
i32.store offset=196 align=1
local.get 1
i64.const 0
i64.store offset=189 align=1
local.get 1
i32.const 0
i32.store8 offset=188
local.get 9
i64.load align=4
local.set 10
local.get 1
local.get 1
i32.load offset=196
i32.store offset=64
local.get 1
local.get 1
i64.load offset=188 align=4
i64.store offset=56
local.get 1
local.get 10
i64.store offset=72
local.get 3
local.get 1
i32.const 72
i32.add
local.get 1
i32.const 56
i32.add
call 105
local.tee 9
i32.store offset=52
local.get 9
br_if 0 (;@2;)
local.get 3
call 80
br 1 (;@1;)
end
local.get 1
local.get 0
i64.load align=4
i64.store offset=48
local.get 1
local.get 0
i32.const 52
i32.add
local.tee 0
i64.load align=4
i64.store offset=32
local.get 1
local.get 0
i32.load offset=8
i32.store offset=40
block ;; label = @2
block ;; label = @3
local.get 1
i32.const 48
i32.add
local.get 1
i32.const 32
i32.add
call 116
local.tee 0
i32.eqz
br_if 0 (;@3;)
local.get 0
i64.load offset=16
local.set 10
br 1 (;@2;)
end
i32.const 0
i32.const 0
i64.load offset=67192
i64.const 1
i64.add
local.tee 10
i64.store offset=67192
end
local.get 3
local.get 10
i64.store offset=16
i32.const 0
i32.const 0
i64.load offset=67200
i64.const 1
i64.add
local.tee 10
i64.store offset=67200
local.get 3
local.get 10
i64.store offset=24
local.get 1
i32.const 168
i32.add
call 83
local.get 3
local.get 1
i64.load offset=176
i64.store offset=40
local.get 3
local.get 1
i64.load offset=168
i64.store offset=32
block ;; label = @2
block ;; label = @3
block ;; label = @4
i32.const 0
i32.load offset=67168
local.tee 2
br_if 0 (;@4;)
local.get 3
i64.const 0
i64.store
br 1 (;@3;)
end
local.get 1
local.get 2
i64.load offset=40
i64.store offset=24
local.get 1
local.get 2
i64.load offset=32
i64.store offset=16
local.get 1
local.get 3
i32.const 32
i32.add
local.tee 9
i64.load
i64.store
local.get 1
local.get 9
i64.load offset=8
i64.store offset=8
block ;; label = @4
block ;; label = @5
block ;; label = @6
local.get 1
i32.const 16
i32.add
local.get 1
call 84
local.tee 9
i32.eqz
br_if 0 (;@6;)
local.get 9
i32.const -1
i32.gt_s
br_if 1 (;@5;)
br 2 (;@4;)
end
local.get 2
i64.load offset=24
local.get 3
i64.load offset=24
i64.lt_u
br_if 1 (;@4;)
end
i32.const 0
i32.const 1
i32.store8 offset=67188
end
local.get 3
i32.const 0
i32.store offset=4
local.get 3
i32.const 0
i32.load offset=67168
local.tee 2
i32.store
local.get 2
i32.eqz
br_if 0 (;@3;)
local.get 2
local.get 3
i32.store offset=4
br 1 (;@2;)
end
i32.const 0
local.get 3
i32.store offset=67180
end
i32.const 0
local.get 3
i32.store offset=67168
local.get 3
i32.const 0
i32.load offset=67172
i32.const 0
i32.load offset=67176
i32.const -1
i32.add
local.get 3
i32.load offset=48
i32.and
i32.const 2
i32.shl
i32.add
local.tee 9
i32.load
i32.store offset=8
i32.const 1
local.set 2
i32.const 0
i32.const 0
i32.load offset=67184
i32.const 1
i32.add
i32.store offset=67184
local.get 9
local.get 3
i32.store
block ;; label = @2
local.get 3
i32.load offset=52
local.tee 3
i32.eqz
br_if 0 (;@2;)
local.get 3
local.get 3
i32.load offset=24
i32.const 1
i32.add
i32.store offset=24
end
local.get 0
i32.eqz
br_if 0 (;@1;)
local.get 0
call 107
end
local.get 1
i32.const 208
i32.add
global.set 0
local.get 2
)
(func (;122;) (type 6) (param i32 i32 i32) (result i32)
(local i32 i32 i64 i32 i32 i32 i32 i32 i64 i64 i64 i32 i32)
global.get 0
i32.const 208
i32.sub
local.tee 3
global.set 0
block ;; label = @1
block ;; label = @2
local.get 1
br_if 0 (;@2;)
i32.const 1
local.set 4
br 1 (;@1;)
end
i32.const 0
i64.load offset=67200
local.set 5
local.get 3
i32.const 64
i32.add
i32.const 8
i32.add
local.set 6
local.get 3
i32.const 81
i32.add
local.set 7
local.get 3
i32.const 64
i32.add
i32.const 28
i32.add
local.set 8
i32.const 0
local.set 9
loop ;; label = @2
local.get 6
i32.const 0
i32.const 72
memory.fill
loop ;; label = @3
local.get 3
i32.const 11
i32.store offset=204
local.get 3
i32.const 66076
i32.store offset=200
local.get 3
local.get 3
i64.load offset=200 align=4
i64.store offset=56
local.get 3
i32.const 144
i32.add
local.get 3
i32.const 56
i32.add
call 17
local.set 10
i32.const 0
i32.const 0
i64.load offset=67216
i64.const 1
i64.add
local.tee 11
i64.store offset=67216
local.get 3
local.get 10
local.get 11
i32.const 6
call 18
local.get 3
i32.const 144
i32.add
i32.sub
i32.store offset=68
local.get 3
local.get 3
i32.const 144
i32.add
i32.store offset=64
local.get 3
local.get 3
i64.load offset=64
i64.store offset=48
local.get 3
i32.const 48
i32.add
call 119
br_if 0 (;@3;)
end
local.get 8
local.get 2
i32.load offset=8
i32.store offset=8
local.get 8
local.get 2
i64.load align=4
i64.store align=4
local.get 0
local.get 9
i32.const 28
i32.mul
i32.add
local.tee 10
i64.load32_u offset=12
local.set 11
local.get 10
i64.load32_u offset=4
local.set 12
block ;; label = @3
block ;; label = @4
local.get 10
i32.load8_u offset=16
br_if 0 (;@4;)
i64.const 0
local.set 13
br 1 (;@3;)
end
local.get 10
i64.load32_u offset=24
local.set 13
end
i32.const 0
local.set 14
block ;; label = @3
block ;; label = @4
local.get 12
local.get 11
i64.add
local.get 13
i64.add
i64.const 5
i64.add
local.tee 11
i64.const 4294967295
i64.le_u
br_if 0 (;@4;)
i32.const 0
local.set 4
br 1 (;@3;)
end
i32.const 0
local.set 4
local.get 11
i32.wrap_i64
i32.const 1
call 81
local.tee 15
i32.eqz
br_if 0 (;@3;)
local.get 10
i32.const 8
i32.add
local.set 14
local.get 3
local.get 10
i64.load align=4
i64.store offset=40
local.get 15
local.get 3
i32.const 40
i32.add
call 17
local.set 4
block ;; label = @4
local.get 10
i32.load8_u offset=16
i32.eqz
br_if 0 (;@4;)
local.get 3
i32.const 2
i32.store offset=204
local.get 3
i32.const 66098
i32.store offset=200
local.get 3
local.get 3
i64.load offset=200 align=4
i64.store offset=32
local.get 4
local.get 3
i32.const 32
i32.add
call 17
local.set 4
local.get 3
local.get 10
i64.load offset=20 align=4
i64.store offset=24
local.get 4
local.get 3
i32.const 24
i32.add
call 17
local.set 10
local.get 3
i32.const 1
i32.store offset=196
local.get 3
i32.const 66096
i32.store offset=192
local.get 3
local.get 3
i64.load offset=192 align=4
i64.store offset=16
local.get 10
local.get 3
i32.const 16
i32.add
call 17
local.set 4
end
local.get 3
i32.const 2
i32.store offset=188
local.get 3
i32.const 66154
i32.store offset=184
local.get 3
local.get 3
i64.load offset=184 align=4
i64.store offset=8
local.get 4
local.get 3
i32.const 8
i32.add
call 17
local.set 10
local.get 3
local.get 14
i64.load align=4
i64.store
local.get 10
local.get 3
call 17
local.get 15
i32.sub
local.set 14
local.get 15
local.set 4
end
local.get 7
i32.const 0
i32.store16 align=1
local.get 7
i32.const 0
i32.store8 offset=2
local.get 3
local.get 14
i32.store offset=76
local.get 3
local.get 4
i32.store offset=72
local.get 3
i32.const 10
i32.store offset=88
local.get 3
i32.const 65989
i32.store offset=84
local.get 3
i32.const 3
i32.store8 offset=80
block ;; label = @3
block ;; label = @4
local.get 4
i32.eqz
br_if 0 (;@4;)
local.get 3
i32.const 64
i32.add
call 121
br_if 1 (;@3;)
end
i32.const 0
local.set 4
loop ;; label = @4
i32.const 0
i32.load offset=67168
local.tee 10
i32.eqz
br_if 3 (;@1;)
local.get 10
i64.load offset=24
local.get 5
i64.le_u
br_if 3 (;@1;)
local.get 10
call 107
br 0 (;@4;)
end
end
i32.const 1
local.set 4
local.get 9
i32.const 1
i32.add
local.tee 9
local.get 1
i32.ne
br_if 0 (;@2;)
end
end
local.get 3
i32.const 208
i32.add
global.set 0
local.get 4
)
(func (;123;) (type 0) (param i32)
(local i32)
global.get 0
i32.const 64
i32.sub
local.tee 1
global.set 0
local.get 0
i32.const 0
i32.const 88
memory.fill
local.get 1
i64.const 0
i64.store offset=45 align=1
local.get 1
i32.const 0
i32.store8 offset=44
local.get 1
i32.const 0
i32.store offset=52 align=1
local.get 1
i64.const 0
i64.store offset=33 align=1
local.get 1
i32.const 0
i32.store8 offset=32
local.get 1
i32.const 0
i32.store offset=40 align=1
local.get 1
local.get 1
i64.load offset=44 align=4
i64.store offset=16
local.get 1
local.get 1
i32.load offset=52
i32.store offset=24
local.get 1
local.get 1
i64.load offset=32 align=4
i64.store
local.get 1
local.get 1
i32.load offset=40
i32.store offset=8
local.get 0
i32.const 56
i32.add
local.get 1
i32.const 16
i32.add
local.get 1
local.get 1
i32.const 56
i32.add
call 87
drop
local.get 1
i32.const 64
i32.add
global.set 0
)
(func (;124;) (type 7) (param i32 i32) (result i32)
(local i32 i32 i32 i32)
global.get 0
i32.const 128
i32.sub
local.tee 2
global.set 0
block ;; label = @1
block ;; label = @2
block ;; label = @3
local.get 0
i32.load8_u offset=12
i32.eqz
br_if 0 (;@3;)
local.get 2
local.get 0
i32.const 12
i32.add
local.tee 3
i32.load offset=8
i32.store offset=120
local.get 2
local.get 3
i64.load align=4
i64.store offset=112
local.get 2
local.get 1
i64.load offset=108 align=4
i64.store offset=96
local.get 2
local.get 1
i32.load offset=116
i32.store offset=104
local.get 2
i32.const 112
i32.add
local.get 2
i32.const 96
i32.add
call 15
i32.eqz
br_if 1 (;@2;)
end
block ;; label = @3
local.get 0
i32.load8_u offset=24
i32.eqz
br_if 0 (;@3;)
local.get 2
local.get 0
i64.load offset=28 align=4
i64.store offset=88
local.get 2
local.get 1
i64.load offset=100 align=4
i64.store offset=80
local.get 2
i32.const 88
i32.add
local.get 2
i32.const 80
i32.add
call 14
i32.eqz
br_if 1 (;@2;)
end
block ;; label = @3
local.get 0
i32.load8_u offset=36
i32.eqz
br_if 0 (;@3;)
i32.const 0
local.set 4
local.get 0
i32.load8_u offset=40
local.tee 3
local.get 1
i32.load8_u offset=72
i32.ne
br_if 2 (;@1;)
local.get 3
i32.const 3
i32.ne
br_if 0 (;@3;)
local.get 2
local.get 0
i64.load offset=44 align=4
i64.store offset=72
local.get 2
local.get 1
i64.load offset=76 align=4
i64.store offset=64
local.get 2
i32.const 72
i32.add
local.get 2
i32.const 64
i32.add
call 14
i32.eqz
br_if 2 (;@1;)
end
local.get 2
local.get 0
i64.load offset=80
i64.store offset=56
local.get 2
local.get 0
i64.load offset=72
i64.store offset=48
local.get 2
local.get 0
i64.load offset=64
i64.store offset=40
local.get 2
local.get 0
i64.load offset=56
i64.store offset=32
local.get 2
local.get 1
i64.load offset=32
i64.store offset=16
local.get 2
local.get 1
i64.load offset=40
i64.store offset=24
i32.const 0
local.set 4
local.get 2
i32.const 32
i32.add
local.get 2
i32.const 16
i32.add
call 85
i32.eqz
br_if 1 (;@1;)
block ;; label = @3
local.get 0
i32.load
i32.eqz
br_if 0 (;@3;)
local.get 1
i32.load offset=52
i32.eqz
br_if 2 (;@1;)
local.get 0
i32.load offset=8
local.tee 3
i32.eqz
br_if 2 (;@1;)
local.get 0
i32.load offset=4
local.set 0
loop ;; label = @4
local.get 1
i32.load offset=52
local.set 5
local.get 2
local.get 0
i64.load align=4
i64.store offset=8
local.get 2
local.get 5
i64.load offset=16 align=4
i64.store
local.get 2
i32.const 8
i32.add
local.get 2
call 14
br_if 1 (;@3;)
local.get 0
i32.const 8
i32.add
local.set 0
local.get 3
i32.const -1
i32.add
local.tee 3
i32.eqz
br_if 3 (;@1;)
br 0 (;@4;)
end
end
i32.const 1
local.set 4
br 1 (;@1;)
end
i32.const 0
local.set 4
end
local.get 2
i32.const 128
i32.add
global.set 0
local.get 4
)
(func (;125;) (type 4) (param i32) (result i32)
(local i32 i32 i32)
i32.const 0
i32.load offset=67184
local.tee 1
local.set 2
block ;; label = @1
i32.const 0
i32.load offset=67168
local.tee 3
i32.eqz
br_if 0 (;@1;)
loop ;; label = @2
local.get 3
i32.load
local.set 2
block ;; label = @3
local.get 0
local.get 3
call 124
i32.eqz
br_if 0 (;@3;)
local.get 3
call 107
end
local.get 2
local.set 3
local.get 2
br_if 0 (;@2;)
end
i32.const 0
i32.load offset=67184
local.set 2
end
local.get 1
local.get 2
i32.sub
)
(func (;126;) (type 6) (param i32 i32 i32) (result i32)
(local i32 i32 i32 i32 i64 i64 i64 i32 i64 i32 i64 i64 i64)
global.get 0
i32.const 80
i32.sub
local.tee 3
global.set 0
i32.const 1
local.set 4
block ;; label = @1
block ;; label = @2
i32.const 55
i32.const 1
call 81
local.tee 5
br_if 0 (;@2;)
i32.const 0
local.set 4
br 1 (;@1;)
end
local.get 3
i32.const 0
i64.load offset=66412 align=4
i64.store offset=24
local.get 5
local.get 3
i32.const 24
i32.add
call 17
local.get 0
i64.load offset=16
i32.const 1
call 18
local.set 6
local.get 3
local.get 0
i64.load offset=40
i64.store offset=16
local.get 3
local.get 0
i64.load offset=32
i64.store offset=8
local.get 6
local.get 3
i32.const 8
i32.add
call 86
local.get 0
i64.load offset=100 align=4
local.set 7
local.get 0
i64.load offset=64
local.set 8
local.get 0
i64.load offset=56
local.set 9
local.get 0
i32.load offset=116
local.set 10
local.get 0
i64.load offset=108 align=4
local.set 11
local.get 0
i32.load offset=80
local.set 12
local.get 0
i64.load offset=72
local.set 13
local.get 0
i64.load offset=92 align=4
local.set 14
local.get 0
i64.load offset=84 align=4
local.set 15
local.get 2
local.get 5
i32.store
local.get 2
local.get 6
local.get 5
i32.sub
i32.store offset=4
local.get 2
local.get 15
i64.store offset=8
local.get 2
local.get 14
i64.store offset=16
local.get 2
local.get 6
i32.store offset=36
local.get 2
i32.const 30
i32.store offset=40
local.get 3
local.get 13
i64.store offset=64
local.get 3
local.get 12
i32.store offset=72
local.get 3
local.get 11
i64.store offset=48
local.get 3
local.get 10
i32.store offset=56
local.get 3
local.get 9
i64.store offset=32
local.get 3
local.get 8
i64.store offset=40
local.get 2
local.get 3
i64.load offset=64
i64.store offset=24
local.get 2
local.get 3
i32.load offset=72
i32.store offset=32
local.get 2
local.get 3
i64.load offset=48
i64.store offset=44 align=4
local.get 2
local.get 3
i32.load offset=56
i32.store offset=52
local.get 2
local.get 1
i64.load
i64.store offset=56
local.get 2
local.get 1
i64.load offset=8
i64.store offset=64
local.get 2
local.get 7
i64.store offset=72
local.get 2
local.get 3
i64.load offset=40
i64.store offset=88
local.get 2
local.get 3
i64.load offset=32
i64.store offset=80
local.get 2
i32.const 96
i32.add
i32.const 0
i32.const 40
memory.fill
local.get 0
i32.load offset=52
local.tee 5
i32.eqz
br_if 0 (;@1;)
local.get 2
local.get 5
i32.load offset=12
i32.store offset=116
local.get 2
local.get 5
i64.load offset=4 align=4
i64.store offset=108 align=4
local.get 0
i32.load offset=52
i64.load offset=16 align=4
local.set 7
local.get 2
i32.const 0
i32.store16 offset=121 align=1
i32.const 1
local.set 4
local.get 2
i32.const 1
i32.store8 offset=120
local.get 2
i32.const 0
i32.store8 offset=123
local.get 2
local.get 7
i64.store offset=124 align=4
end
local.get 3
i32.const 80
i32.add
global.set 0
local.get 4
)
(func (;127;) (type 9) (param i32 i32)
(local i32 i64 i64 i32 i32)
global.get 0
i32.const 112
i32.sub
local.tee 2
global.set 0
local.get 2
i32.const 8
i32.add
i32.const 16
i32.add
i32.const 0
i32.const 80
memory.fill
local.get 2
i32.const -1009589776
i32.store offset=24
local.get 2
i64.const 1167088121787636990
i64.store offset=16
local.get 2
i64.const -1167088121787636991
i64.store offset=8
local.get 2
i32.const 8
i32.add
i32.const 66432
i32.const 16
call 128
local.get 2
i32.const 8
i32.add
local.get 1
i32.load
local.get 1
i32.load offset=4
call 128
local.get 2
i64.load offset=32
i64.const 3
i64.shl
local.set 3
i64.const 56
local.set 4
local.get 2
i32.const 104
i32.add
local.set 1
loop ;; label = @1
local.get 1
local.get 3
local.get 4
i64.shr_u
i64.store8
local.get 1
i32.const 1
i32.add
local.set 1
local.get 4
i64.const -8
i64.add
local.tee 4
i64.const -8
i64.ne
br_if 0 (;@1;)
end
local.get 2
i32.const 8
i32.add
i32.const 65864
i32.const 1
call 128
block ;; label = @1
local.get 2
i64.load offset=32
i64.const 63
i64.and
i64.const 56
i64.eq
br_if 0 (;@1;)
loop ;; label = @2
local.get 2
i32.const 8
i32.add
i32.const 66156
i32.const 1
call 128
local.get 2
i64.load offset=32
i64.const 63
i64.and
i64.const 56
i64.ne
br_if 0 (;@2;)
end
end
local.get 2
i32.const 8
i32.add
local.get 2
i32.const 104
i32.add
i32.const 8
call 128
i32.const 0
local.set 1
i32.const 0
local.set 5
loop ;; label = @1
local.get 2
i32.const 8
i32.add
local.get 5
i32.const -4
i32.and
i32.add
i32.load
local.get 1
i32.const -1
i32.xor
i32.const 24
i32.and
i32.shr_u
local.tee 6
i32.const 15
i32.and
i32.const 80
i32.or
local.get 6
local.get 1
i32.const 48
i32.eq
select
local.tee 6
i32.const 63
i32.and
i32.const -128
i32.or
local.get 6
local.get 1
i32.const 64
i32.eq
select
local.set 6
block ;; label = @2
local.get 5
i32.const 10
i32.gt_u
br_if 0 (;@2;)
i32.const 1
local.get 5
i32.shl
i32.const 1360
i32.and
i32.eqz
br_if 0 (;@2;)
local.get 0
i32.const 45
i32.store8
local.get 0
i32.const 1
i32.add
local.set 0
end
local.get 0
local.get 6
i32.const 15
i32.and
i32.load8_u offset=66000
i32.store8 offset=1
local.get 0
local.get 6
i32.const 240
i32.and
i32.const 4
i32.shr_u
i32.load8_u offset=66000
i32.store8
local.get 5
i32.const 1
i32.add
local.set 5
local.get 0
i32.const 2
i32.add
local.set 0
local.get 1
i32.const 8
i32.add
local.tee 1
i32.const 128
i32.ne
br_if 0 (;@1;)
end
local.get 2
i32.const 112
i32.add
global.set 0
)
(func (;128;) (type 19) (param i32 i32 i32)
(local i32 i32 i64 i32 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
global.get 0
i32.const 320
i32.sub
local.tee 3
global.set 0
block ;; label = @1
local.get 2
i32.eqz
br_if 0 (;@1;)
local.get 0
i32.const 32
i32.add
local.set 4
local.get 0
i64.load offset=24
local.set 5
i32.const 0
local.set 6
loop ;; label = @2
local.get 1
local.get 6
i32.add
i32.load8_u
local.set 7
local.get 0
local.get 5
i64.const 1
i64.add
local.tee 8
i64.store offset=24
local.get 4
local.get 5
i32.wrap_i64
i32.const 63
i32.and
i32.add
local.get 7
i32.store8
block ;; label = @3
local.get 8
i64.const 63
i64.and
i64.const 0
i64.ne
br_if 0 (;@3;)
local.get 0
i32.load offset=16
local.set 9
local.get 0
i32.load offset=12
local.set 10
local.get 0
i32.load offset=8
local.set 11
local.get 0
i32.load offset=4
local.set 12
local.get 0
i32.load
local.set 13
i32.const 0
local.set 7
loop ;; label = @4
local.get 3
local.get 7
i32.add
local.get 0
local.get 7
i32.add
i32.const 32
i32.add
i32.load align=1
local.tee 14
i32.const 16711935
i32.and
i32.const 8
i32.rotr
local.get 14
i32.const 24
i32.rotr
i32.const 16711935
i32.and
i32.or
i32.store
local.get 7
i32.const 4
i32.add
local.tee 7
i32.const 64
i32.ne
br_if 0 (;@4;)
end
i32.const 0
local.set 14
loop ;; label = @4
local.get 3
local.get 14
i32.add
local.tee 7
i32.const 64
i32.add
local.get 7
i32.const 32
i32.add
i32.load
local.get 7
i32.const 52
i32.add
i32.load
i32.xor
local.get 7
i32.const 8
i32.add
i32.load
i32.xor
local.get 7
i32.load
i32.xor
i32.const 1
i32.rotl
i32.store
local.get 14
i32.const 4
i32.add
local.tee 14
i32.const 256
i32.ne
br_if 0 (;@4;)
end
i32.const 0
local.set 7
local.get 3
local.set 15
local.get 13
local.set 16
local.get 12
local.set 17
local.get 11
local.set 18
local.get 9
local.set 19
local.get 10
local.set 20
loop ;; label = @4
local.get 20
local.set 14
local.get 18
local.set 20
local.get 17
local.set 18
local.get 16
local.set 17
local.get 15
local.set 16
block ;; label = @5
block ;; label = @6
local.get 7
i32.const 19
i32.gt_u
br_if 0 (;@6;)
local.get 20
local.get 14
i32.xor
local.get 18
i32.and
local.get 14
i32.xor
i32.const 1518500249
i32.add
local.set 21
br 1 (;@5;)
end
block ;; label = @6
local.get 7
i32.const 39
i32.gt_u
br_if 0 (;@6;)
local.get 20
local.get 18
i32.xor
local.get 14
i32.xor
i32.const 1859775393
i32.add
local.set 21
br 1 (;@5;)
end
block ;; label = @6
local.get 7
i32.const 59
i32.gt_u
br_if 0 (;@6;)
local.get 14
local.get 20
i32.or
local.get 18
i32.and
local.get 14
local.get 20
i32.and
i32.or
i32.const -1894007588
i32.add
local.set 21
br 1 (;@5;)
end
local.get 20
local.get 18
i32.xor
local.get 14
i32.xor
i32.const -899497514
i32.add
local.set 21
end
local.get 16
i32.const 4
i32.add
local.set 15
local.get 18
i32.const 30
i32.rotl
local.set 18
local.get 19
local.get 17
i32.const 5
i32.rotl
i32.add
local.get 21
i32.add
local.get 16
i32.load
i32.add
local.set 16
local.get 14
local.set 19
local.get 7
i32.const 1
i32.add
local.tee 7
i32.const 80
i32.ne
br_if 0 (;@4;)
end
local.get 0
local.get 14
local.get 9
i32.add
i32.store offset=16
local.get 0
local.get 20
local.get 10
i32.add
i32.store offset=12
local.get 0
local.get 18
local.get 11
i32.add
i32.store offset=8
local.get 0
local.get 17
local.get 12
i32.add
i32.store offset=4
local.get 0
local.get 16
local.get 13
i32.add
i32.store
end
local.get 8
local.set 5
local.get 6
i32.const 1
i32.add
local.tee 6
local.get 2
i32.ne
br_if 0 (;@2;)
end
end
local.get 3
i32.const 320
i32.add
global.set 0
)
(data (;0;) (i32.const 65536) "\09\00\00\00\0d\00\00\00 \00\00\00 \00\00\00\85\00\00\00\85\00\00\00\a0\00\00\00\a0\00\00\00\80\16\00\00\80\16\00\00\00 \00\00\0a \00\00( \00\00) \00\00/ \00\00/ \00\00_ \00\00_ \00\00\000\00\00\000\00\00\80\00\00\00\a9\00\00\00\ab\00\00\00\b4\00\00\00\b6\00\00\00\b9\00\00\00\bb\00\00\00\bf\00\00\00\d7\00\00\00\d7\00\00\00\f7\00\00\00\f7\00\00\00\80\16\00\00\80\16\00\00\00 \00\00o \00\00\000\00\00\040\00\00\080\00\00 0\00\0000\00\0000\00\00\fb0\00\00\fb0\00\00\00\fe\00\00\0f\fe\00\00\ff\fe\00\00\ff\fe\00\00\01\ff\00\00\0f\ff\00\00\1a\ff\00\00 \ff\00\00;\ff\00\00@\ff\00\00[\ff\00\00e\ff\00\00\00\0e\00\00\ff\0e\00\00\00\10\00\00\9f\10\00\00\80\17\00\00\ff\17\00\00\90!\00\00\ff/\00\00\050\00\00\070\00\00!0\00\00\fa0\00\00\fc0\00\00\ff1\00\00\004\00\00\bfM\00\00\00N\00\00\ff\9f\00\00\00\f9\00\00\ff\fa\00\00f\ff\00\00\9f\ff\00\00\00\f0\01\00\ff\fa\01\00\00\00\02\00\ff\ff\03\00\80\00stored one row\00default\00notes\00stored the messages\00importance is not a number\00the plugin's memory is full\00until\00notes::store_procedural\000123456789abcdef\00notes::store\00since\00importance is not between 0 and 1\000.1.0\00procedural-\00note-\00*\00)\00 (\00 is not an RFC 3339 time such as 2026-01-31T12:00:00Z: \00\00\00\005\02\01\007\00\00\00\00\00\00\00\00\00\00\00 a about an and are as at be been but by can did do does for from had has have how i if in is it its me my of on or our so that the their there these they this to was we were what when where which who whom why will with would you your \00(\02\01\00\05\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00}\1c@\f3[\e4MR\9d\0e\9aOo\1c+h")
)
(core module (;1;)
(type (;0;) (func (param i32)))
(type (;1;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(table (;0;) 2 2 funcref)
(export "0" (func 0))
(export "1" (func 1))
(export "$imports" (table 0))
(func (;0;) (type 0) (param i32)
local.get 0
i32.const 0
call_indirect (type 0)
)
(func (;1;) (type 1) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)
local.get 0
local.get 1
local.get 2
local.get 3
local.get 4
local.get 5
local.get 6
local.get 7
local.get 8
local.get 9
local.get 10
local.get 11
local.get 12
i32.const 1
call_indirect (type 1)
)
)
(core instance (;0;) (instantiate 1))
(type (;4;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(type (;5;) (option string))
(type (;6;) (option f64))
(type (;7;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 4) (field "timestamp" string) (field "session-id" 5) (field "score" 6) (field "namespace" string) (field "importance" 6) (field "superseded-by" 5) (field "agent-alias" 5) (field "agent-id" 5)))
(type (;8;) (option 4))
(type (;9;) (record (field "namespace" 5) (field "session-id" 5) (field "category" 8) (field "since" 5) (field "until" 5)))
(type (;10;) (record (field "role" string) (field "content" string) (field "name" 5)))
(type (;11;) (list string))
(type (;12;) (variant (case "all") (case "some" 11)))
(type (;13;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(alias core export 0 "0" (core func (;0;)))
(core instance (;1;)
(export "now" (func 0))
)
(alias core export 0 "1" (core func (;1;)))
(core instance (;2;)
(export "log-record" (func 1))
)
(core instance (;3;) (instantiate 0
(with "wasi:clocks/wall-clock@0.2.0" (instance 1))
(with "zeroclaw:plugin/logging@0.1.0" (instance 2))
)
)
(alias core export 3 "memory" (core memory (;0;)))
(core module (;2;)
(type (;0;) (func (param i32)))
(type (;1;) (func (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(import "actual" "0" (func (;0;) (type 0) (param i32)))
(import "actual" "1" (func (;1;) (type 1) (param i32 i32 i32 i32 i32 i32 i32 i64 i32 i32 i32 i32 i32)))
(import "shim" "$imports" (table (;0;) 2 2 funcref))
(elem (;0;) (i32.const 0) func 0 1)
)
(alias export 0 "now" (func (;0;)))
(core func (;2;) (canon lower (func 0) (memory 0)))
(alias export 2 "log-record" (func (;1;)))
(core func (;3;) (canon lower (func 1) (memory 0) string-encoding=utf8))
(core instance (;4;)
(export "0" (func 2))
(export "1" (func 3))
)
(core instance (;5;) (instantiate 2
(with "actual" (instance 4))
(with "shim" (instance 0))
)
)
(type (;14;) (func (result string)))
(alias core export 3 "zeroclaw:plugin/plugin-info@0.1.0#plugin-name" (core func (;4;)))
(func (;2;) (type 14) (canon lift (core func 4) (memory 0) string-encoding=utf8))
(alias core export 3 "zeroclaw:plugin/plugin-info@0.1.0#plugin-version" (core func (;5;)))
(func (;3;) (type 14) (canon lift (core func 5) (memory 0) string-encoding=utf8))
(component (;0;)
(type (;0;) (func (result string)))
(import "import-func-plugin-name" (func (;0;) (type 0)))
(import "import-func-plugin-version" (func (;1;) (type 0)))
(type (;1;) (func (result string)))
(export (;2;) "plugin-name" (func 0) (func (type 1)))
(export (;3;) "plugin-version" (func 1) (func (type 1)))
)
(instance (;3;) (instantiate 0
(with "import-func-plugin-name" (func 2))
(with "import-func-plugin-version" (func 3))
)
)
(export (;4;) "zeroclaw:plugin/plugin-info@0.1.0" (instance 3))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#name" (core func (;6;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#name" (core func (;7;)))
(func (;4;) (type 14) (canon lift (core func 6) (memory 0) string-encoding=utf8 (post-return 7)))
(type (;15;) (func (result 13)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;8;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-memory-capabilities" (core func (;9;)))
(func (;5;) (type 15) (canon lift (core func 8) (post-return 9)))
(type (;16;) (result (error string)))
(type (;17;) (func (param "key" string) (param "content" string) (param "category" 4) (param "session-id" 5) (result 16)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;10;)))
(alias core export 3 "cabi_realloc" (core func (;11;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-entry" (core func (;12;)))
(func (;6;) (type 17) (canon lift (core func 10) (memory 0) (realloc 11) string-encoding=utf8 (post-return 12)))
(type (;18;) (list 7))
(type (;19;) (result 18 (error string)))
(type (;20;) (func (param "query" string) (param "limit" u64) (param "session-id" 5) (param "since" 5) (param "until" 5) (result 19)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#recall" (core func (;13;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall" (core func (;14;)))
(func (;7;) (type 20) (canon lift (core func 13) (memory 0) (realloc 11) string-encoding=utf8 (post-return 14)))
(type (;21;) (option 7))
(type (;22;) (result 21 (error string)))
(type (;23;) (func (param "key" string) (result 22)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#get" (core func (;15;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#get" (core func (;16;)))
(func (;8;) (type 23) (canon lift (core func 15) (memory 0) (realloc 11) string-encoding=utf8 (post-return 16)))
(type (;24;) (func (param "category" 8) (param "session-id" 5) (result 19)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;17;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#list-entries" (core func (;18;)))
(func (;9;) (type 24) (canon lift (core func 17) (memory 0) (realloc 11) string-encoding=utf8 (post-return 18)))
(type (;25;) (result bool (error string)))
(type (;26;) (func (param "key" string) (result 25)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#forget" (core func (;19;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget" (core func (;20;)))
(func (;10;) (type 26) (canon lift (core func 19) (memory 0) (realloc 11) string-encoding=utf8 (post-return 20)))
(type (;27;) (func (param "key" string) (param "agent-id" string) (result 25)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;21;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#forget-for-agent" (core func (;22;)))
(func (;11;) (type 27) (canon lift (core func 21) (memory 0) (realloc 11) string-encoding=utf8 (post-return 22)))
(type (;28;) (result u64 (error string)))
(type (;29;) (func (result 28)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#count" (core func (;23;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#count" (core func (;24;)))
(func (;12;) (type 29) (canon lift (core func 23) (memory 0) string-encoding=utf8 (post-return 24)))
(type (;30;) (func (result bool)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#health-check" (core func (;25;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#health-check" (core func (;26;)))
(func (;13;) (type 30) (canon lift (core func 25) (post-return 26)))
(type (;31;) (func (param "key" string) (param "content" string) (param "category" 4) (param "session-id" 5) (param "namespace" 5) (param "importance" 6) (param "agent-id" 5) (result 16)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;27;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-agent" (core func (;28;)))
(func (;14;) (type 31) (canon lift (core func 27) (memory 0) (realloc 11) string-encoding=utf8 (post-return 28)))
(type (;32;) (func (param "agents" 12) (param "query" string) (param "limit" u64) (param "session-id" 5) (param "since" 5) (param "until" 5) (result 19)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;29;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-for-agents" (core func (;30;)))
(func (;15;) (type 32) (canon lift (core func 29) (memory 0) (realloc 11) string-encoding=utf8 (post-return 30)))
(type (;33;) (func (param "key" string) (param "agent-id" string) (result 22)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;31;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#get-for-agent" (core func (;32;)))
(func (;16;) (type 33) (canon lift (core func 31) (memory 0) (realloc 11) string-encoding=utf8 (post-return 32)))
(type (;34;) (func (param "namespace" string) (result 28)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;33;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-namespace" (core func (;34;)))
(func (;17;) (type 34) (canon lift (core func 33) (memory 0) (realloc 11) string-encoding=utf8 (post-return 34)))
(type (;35;) (func (param "session-id" string) (result 28)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;35;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session" (core func (;36;)))
(func (;18;) (type 35) (canon lift (core func 35) (memory 0) (realloc 11) string-encoding=utf8 (post-return 36)))
(type (;36;) (func (param "session-id" string) (param "agent-id" string) (result 28)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;37;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-session-for-agent" (core func (;38;)))
(func (;19;) (type 36) (canon lift (core func 37) (memory 0) (realloc 11) string-encoding=utf8 (post-return 38)))
(type (;37;) (func (param "agent-alias" string) (result 28)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;39;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#purge-agent" (core func (;40;)))
(func (;20;) (type 37) (canon lift (core func 39) (memory 0) (realloc 11) string-encoding=utf8 (post-return 40)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#reindex" (core func (;41;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#reindex" (core func (;42;)))
(func (;21;) (type 29) (canon lift (core func 41) (memory 0) string-encoding=utf8 (post-return 42)))
(type (;38;) (list 10))
(type (;39;) (func (param "messages" 38) (param "session-id" 5) (result 16)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;43;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-procedural" (core func (;44;)))
(func (;22;) (type 39) (canon lift (core func 43) (memory 0) (realloc 11) string-encoding=utf8 (post-return 44)))
(type (;40;) (result string (error string)))
(type (;41;) (func (param "alias" string) (result 40)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;45;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#ensure-agent-uuid" (core func (;46;)))
(func (;23;) (type 41) (canon lift (core func 45) (memory 0) (realloc 11) string-encoding=utf8 (post-return 46)))
(type (;42;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 5) (param "since" 5) (param "until" 5) (result 19)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;47;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#recall-namespaced" (core func (;48;)))
(func (;24;) (type 42) (canon lift (core func 47) (memory 0) (realloc 11) string-encoding=utf8 (post-return 48)))
(type (;43;) (func (param "filter" 9) (result 19)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;49;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#export-entries" (core func (;50;)))
(func (;25;) (type 43) (canon lift (core func 49) (memory 0) (realloc 11) string-encoding=utf8 (post-return 50)))
(type (;44;) (func (param "key" string) (param "content" string) (param "category" 4) (param "session-id" 5) (param "namespace" 5) (param "importance" 6) (result 16)))
(alias core export 3 "zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;51;)))
(alias core export 3 "cabi_post_zeroclaw:plugin/memory@0.1.0#store-with-metadata" (core func (;52;)))
(func (;26;) (type 44) (canon lift (core func 51) (memory 0) (realloc 11) string-encoding=utf8 (post-return 52)))
(component (;1;)
(type (;0;) (func (result string)))
(import "import-func-name" (func (;0;) (type 0)))
(type (;1;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(import "import-type-memory-capabilities" (type (;2;) (eq 1)))
(type (;3;) (func (result 2)))
(import "import-func-get-memory-capabilities" (func (;1;) (type 3)))
(type (;4;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(import "import-type-memory-category" (type (;5;) (eq 4)))
(type (;6;) (option string))
(type (;7;) (result (error string)))
(type (;8;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (result 7)))
(import "import-func-store-entry" (func (;2;) (type 8)))
(type (;9;) (option f64))
(type (;10;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 5) (field "timestamp" string) (field "session-id" 6) (field "score" 9) (field "namespace" string) (field "importance" 9) (field "superseded-by" 6) (field "agent-alias" 6) (field "agent-id" 6)))
(import "import-type-memory-entry" (type (;11;) (eq 10)))
(type (;12;) (list 11))
(type (;13;) (result 12 (error string)))
(type (;14;) (func (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall" (func (;3;) (type 14)))
(type (;15;) (option 11))
(type (;16;) (result 15 (error string)))
(type (;17;) (func (param "key" string) (result 16)))
(import "import-func-get" (func (;4;) (type 17)))
(type (;18;) (option 5))
(type (;19;) (func (param "category" 18) (param "session-id" 6) (result 13)))
(import "import-func-list-entries" (func (;5;) (type 19)))
(type (;20;) (result bool (error string)))
(type (;21;) (func (param "key" string) (result 20)))
(import "import-func-forget" (func (;6;) (type 21)))
(type (;22;) (func (param "key" string) (param "agent-id" string) (result 20)))
(import "import-func-forget-for-agent" (func (;7;) (type 22)))
(type (;23;) (result u64 (error string)))
(type (;24;) (func (result 23)))
(import "import-func-count" (func (;8;) (type 24)))
(type (;25;) (func (result bool)))
(import "import-func-health-check" (func (;9;) (type 25)))
(type (;26;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (param "namespace" 6) (param "importance" 9) (param "agent-id" 6) (result 7)))
(import "import-func-store-with-agent" (func (;10;) (type 26)))
(type (;27;) (list string))
(type (;28;) (variant (case "all") (case "some" 27)))
(import "import-type-agent-filter" (type (;29;) (eq 28)))
(type (;30;) (func (param "agents" 29) (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall-for-agents" (func (;11;) (type 30)))
(type (;31;) (func (param "key" string) (param "agent-id" string) (result 16)))
(import "import-func-get-for-agent" (func (;12;) (type 31)))
(type (;32;) (func (param "namespace" string) (result 23)))
(import "import-func-purge-namespace" (func (;13;) (type 32)))
(type (;33;) (func (param "session-id" string) (result 23)))
(import "import-func-purge-session" (func (;14;) (type 33)))
(type (;34;) (func (param "session-id" string) (param "agent-id" string) (result 23)))
(import "import-func-purge-session-for-agent" (func (;15;) (type 34)))
(type (;35;) (func (param "agent-alias" string) (result 23)))
(import "import-func-purge-agent" (func (;16;) (type 35)))
(import "import-func-reindex" (func (;17;) (type 24)))
(type (;36;) (record (field "role" string) (field "content" string) (field "name" 6)))
(import "import-type-procedural-message" (type (;37;) (eq 36)))
(type (;38;) (list 37))
(type (;39;) (func (param "messages" 38) (param "session-id" 6) (result 7)))
(import "import-func-store-procedural" (func (;18;) (type 39)))
(type (;40;) (result string (error string)))
(type (;41;) (func (param "alias" string) (result 40)))
(import "import-func-ensure-agent-uuid" (func (;19;) (type 41)))
(type (;42;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 6) (param "since" 6) (param "until" 6) (result 13)))
(import "import-func-recall-namespaced" (func (;20;) (type 42)))
(type (;43;) (record (field "namespace" 6) (field "session-id" 6) (field "category" 18) (field "since" 6) (field "until" 6)))
(import "import-type-export-filter" (type (;44;) (eq 43)))
(type (;45;) (func (param "filter" 44) (result 13)))
(import "import-func-export-entries" (func (;21;) (type 45)))
(type (;46;) (func (param "key" string) (param "content" string) (param "category" 5) (param "session-id" 6) (param "namespace" 6) (param "importance" 9) (result 7)))
(import "import-func-store-with-metadata" (func (;22;) (type 46)))
(type (;47;) (variant (case "core") (case "daily") (case "conversation") (case "custom" string)))
(export (;48;) "memory-category" (type 47))
(type (;49;) (option string))
(type (;50;) (option f64))
(type (;51;) (record (field "id" string) (field "key" string) (field "content" string) (field "category" 48) (field "timestamp" string) (field "session-id" 49) (field "score" 50) (field "namespace" string) (field "importance" 50) (field "superseded-by" 49) (field "agent-alias" 49) (field "agent-id" 49)))
(export (;52;) "memory-entry" (type 51))
(type (;53;) (option 48))
(type (;54;) (record (field "namespace" 49) (field "session-id" 49) (field "category" 53) (field "since" 49) (field "until" 49)))
(export (;55;) "export-filter" (type 54))
(type (;56;) (record (field "role" string) (field "content" string) (field "name" 49)))
(export (;57;) "procedural-message" (type 56))
(type (;58;) (list string))
(type (;59;) (variant (case "all") (case "some" 58)))
(export (;60;) "agent-filter" (type 59))
(type (;61;) (flags "get-for-agent" "purge-namespace" "purge-session" "purge-session-for-agent" "purge-agent" "reindex" "store-procedural" "ensure-agent-uuid" "recall-namespaced" "export-entries" "store-with-metadata"))
(export (;62;) "memory-capabilities" (type 61))
(type (;63;) (func (result string)))
(export (;23;) "name" (func 0) (func (type 63)))
(type (;64;) (func (result 62)))
(export (;24;) "get-memory-capabilities" (func 1) (func (type 64)))
(type (;65;) (result (error string)))
(type (;66;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (result 65)))
(export (;25;) "store-entry" (func 2) (func (type 66)))
(type (;67;) (list 52))
(type (;68;) (result 67 (error string)))
(type (;69;) (func (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;26;) "recall" (func 3) (func (type 69)))
(type (;70;) (option 52))
(type (;71;) (result 70 (error string)))
(type (;72;) (func (param "key" string) (result 71)))
(export (;27;) "get" (func 4) (func (type 72)))
(type (;73;) (func (param "category" 53) (param "session-id" 49) (result 68)))
(export (;28;) "list-entries" (func 5) (func (type 73)))
(type (;74;) (result bool (error string)))
(type (;75;) (func (param "key" string) (result 74)))
(export (;29;) "forget" (func 6) (func (type 75)))
(type (;76;) (func (param "key" string) (param "agent-id" string) (result 74)))
(export (;30;) "forget-for-agent" (func 7) (func (type 76)))
(type (;77;) (result u64 (error string)))
(type (;78;) (func (result 77)))
(export (;31;) "count" (func 8) (func (type 78)))
(type (;79;) (func (result bool)))
(export (;32;) "health-check" (func 9) (func (type 79)))
(type (;80;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (param "namespace" 49) (param "importance" 50) (param "agent-id" 49) (result 65)))
(export (;33;) "store-with-agent" (func 10) (func (type 80)))
(type (;81;) (func (param "agents" 60) (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;34;) "recall-for-agents" (func 11) (func (type 81)))
(type (;82;) (func (param "key" string) (param "agent-id" string) (result 71)))
(export (;35;) "get-for-agent" (func 12) (func (type 82)))
(type (;83;) (func (param "namespace" string) (result 77)))
(export (;36;) "purge-namespace" (func 13) (func (type 83)))
(type (;84;) (func (param "session-id" string) (result 77)))
(export (;37;) "purge-session" (func 14) (func (type 84)))
(type (;85;) (func (param "session-id" string) (param "agent-id" string) (result 77)))
(export (;38;) "purge-session-for-agent" (func 15) (func (type 85)))
(type (;86;) (func (param "agent-alias" string) (result 77)))
(export (;39;) "purge-agent" (func 16) (func (type 86)))
(export (;40;) "reindex" (func 17) (func (type 78)))
(type (;87;) (list 57))
(type (;88;) (func (param "messages" 87) (param "session-id" 49) (result 65)))
(export (;41;) "store-procedural" (func 18) (func (type 88)))
(type (;89;) (result string (error string)))
(type (;90;) (func (param "alias" string) (result 89)))
(export (;42;) "ensure-agent-uuid" (func 19) (func (type 90)))
(type (;91;) (func (param "namespace" string) (param "query" string) (param "limit" u64) (param "session-id" 49) (param "since" 49) (param "until" 49) (result 68)))
(export (;43;) "recall-namespaced" (func 20) (func (type 91)))
(type (;92;) (func (param "filter" 55) (result 68)))
(export (;44;) "export-entries" (func 21) (func (type 92)))
(type (;93;) (func (param "key" string) (param "content" string) (param "category" 48) (param "session-id" 49) (param "namespace" 49) (param "importance" 50) (result 65)))
(export (;45;) "store-with-metadata" (func 22) (func (type 93)))
)
(instance (;5;) (instantiate 1
(with "import-func-name" (func 4))
(with "import-func-get-memory-capabilities" (func 5))
(with "import-func-store-entry" (func 6))
(with "import-func-recall" (func 7))
(with "import-func-get" (func 8))
(with "import-func-list-entries" (func 9))
(with "import-func-forget" (func 10))
(with "import-func-forget-for-agent" (func 11))
(with "import-func-count" (func 12))
(with "import-func-health-check" (func 13))
(with "import-func-store-with-agent" (func 14))
(with "import-func-recall-for-agents" (func 15))
(with "import-func-get-for-agent" (func 16))
(with "import-func-purge-namespace" (func 17))
(with "import-func-purge-session" (func 18))
(with "import-func-purge-session-for-agent" (func 19))
(with "import-func-purge-agent" (func 20))
(with "import-func-reindex" (func 21))
(with "import-func-store-procedural" (func 22))
(with "import-func-ensure-agent-uuid" (func 23))
(with "import-func-recall-namespaced" (func 24))
(with "import-func-export-entries" (func 25))
(with "import-func-store-with-metadata" (func 26))
(with "import-type-memory-capabilities" (type 13))
(with "import-type-memory-category" (type 4))
(with "import-type-memory-entry" (type 7))
(with "import-type-agent-filter" (type 12))
(with "import-type-procedural-message" (type 10))
(with "import-type-export-filter" (type 9))
)
)
(export (;6;) "zeroclaw:plugin/memory@0.1.0" (instance 5))
)

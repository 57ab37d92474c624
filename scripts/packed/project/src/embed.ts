import { createEngine, defineConfig, type Principal } from "svc-automation";
import type { PermissionType } from "svc-automation/feature";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { memoryStorage } from "svc-automation/plugins/storage-memory";
import { mirror } from "svc-plugin-mirror";
import { shout } from "./shout.ts";

const engine = createEngine(
	defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [shout({}), mirror()],
		packs: ["./packs"],
		auth: { enable: false },
		log: { level: "warn" },
	}),
);
// Programs and features can name the permissions of core.
const permission: PermissionType = "rule_create";
void permission;
const principal: Principal = { username: "program", isAdmin: true, authentication: { method: "none" } };

await engine.start();
const { entity } = await engine.executions.submit({ action: "office.greet", parameters: { text: "good morning" } }, principal);
for await (const { data } of engine.output.follow(entity.id, { signal: AbortSignal.timeout(60_000) })) process.stdout.write(data);
const ended = await engine.executions.get(entity.id);
console.log(JSON.stringify({ status: ended.entity.status, result: ended.entity.result }));
await engine.stop();

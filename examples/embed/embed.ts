import { createEngine, defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";

const config = defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	log: { level: "warn" },
	auth: { enable: false },
});

// `await using` stops the engine at the end of the file, even after an error.
await using engine = createEngine(config, { directory: import.meta.dirname, env: process.env });
await engine.start();

// Subscribes to the updates of all executions. The name of the event determines the type.
const watching = new AbortController();
const updates = await engine.events.subscribe(["svc.execution__update"], { signal: watching.signal });
const watched = (async () => {
	for await (const { view } of updates) console.log(`${view.entity.action_ref} is ${view.entity.status}`);
})();

const run = engine.run(
	"core.local",
	{ cmd: "for step in 1 2 3; do echo step $step; sleep 0.3; done" },
	{ signal: AbortSignal.timeout(60_000), trace: { tag: "example" } },
);
for await (const { output_type, data } of run.output) process.stdout.write(`${output_type}: ${data}`);

const { id, status, elapsed_seconds } = await run.ended;
watching.abort();
await watched;
console.log(`execution ${id} ${status} after ${elapsed_seconds} s`);

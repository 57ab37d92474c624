// The least that a service on these packages can do for an execution and still keep its promises: h3, a record that is on the disk before it is
// answered and once more before its end is told, commits of one turn together, and a stream of events. No sign-in, parameters, masking,
// leases, traces, rules. What a whole service makes is held against it, to see how much of what is missing could be won at all.
import { randomBytes } from "node:crypto";
import { H3, readBody, toNodeHandler } from "h3";
import { GroupedStore } from "./grouped-store.mjs";
import { serve } from "./serve.mjs";

const { file, directory } = JSON.parse(process.argv[2]);

/** Runs a command as the service does: by the shipped runner, which starts processes through its launcher. */
async function createCommands() {
	const built = (path) => import(new URL(`../../dist/${path}/index.js`, import.meta.url).href);
	const { localCommand } = await built("plugins-runner/local-command");
	const { createPluginContext, createRunContext } = await built("core/testing");
	const runner = localCommand().create();
	await runner.start?.(createPluginContext({ dataDirectory: directory }));
	return {
		run: async (cmd) => (await runner.run(createRunContext(runner, { runnerParameters: { cmd } }))).result,
		stop: () => runner.stop?.(),
	};
}

const store = new GroupedStore(file, [
	"CREATE TABLE execution (id TEXT PRIMARY KEY, status TEXT NOT NULL, record TEXT NOT NULL) WITHOUT ROWID",
	"CREATE INDEX execution_status ON execution (status)",
]);
const commands = await createCommands();
const insert = store.prepare("INSERT INTO execution (id, status, record) VALUES (?, ?, ?)");
const update = store.prepare("UPDATE execution SET status = ?, record = ? WHERE id = ?");
const followers = new Set();

/** A record of about the length of the service's. */
function createRecord({ action, parameters = {} }) {
	const now = new Date().toISOString();
	return {
		id: randomBytes(12).toString("hex"),
		status: "running",
		start_timestamp: now,
		action: { ref: action, pack: "core", description: "d".repeat(120), parameters: { cmd: { type: "string" } } },
		runner: { name: "runner", description: "d".repeat(80), parameters: { timeout: { type: "integer" } } },
		parameters,
		context: { user: "admin", pack: "core", trace_context: { id_: randomBytes(12).toString("hex") } },
		log: ["requested", "scheduled", "running"].map((status) => ({ status, timestamp: now })),
	};
}

function tell(text) {
	const frame = `event: svc.execution__update\ndata: ${text}\n\n`;
	for (const follower of followers) follower.write(frame);
}

async function finish(record) {
	const { cmd } = record.parameters;
	const result = cmd === undefined ? {} : await commands.run(cmd);
	const ended = { ...record, status: "succeeded", result, end_timestamp: new Date().toISOString() };
	const text = JSON.stringify(ended);
	await store.write([[update, [ended.status, text, ended.id]]]);
	tell(text);
}

const app = new H3().post("/v1/executions", async (event) => {
	const record = createRecord(await readBody(event));
	const text = JSON.stringify(record);
	await store.write([[insert, [record.id, record.status, text]]]);
	tell(text);
	void finish(record);
	event.res.status = 201;
	event.res.headers.set("content-type", "application/json");
	return text;
});
const answer = toNodeHandler(app);
await serve(
	(request, response) => {
		if (request.method !== "GET") return answer(request, response);
		response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
		followers.add(response);
		return response.on("close", () => followers.delete(response));
	},
	async () => {
		await commands.stop();
		store.stop();
	},
);

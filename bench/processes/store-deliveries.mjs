// What deliveries that start executions take at least of a service that lists them: h3 with one route that has the service's own storage keep all
// that it keeps of a delivery which five rules act on, in one write. Nobody is signed in, nothing is decided, rendered, run or told.
import { H3, readBody, toNodeHandler } from "h3";
import { serve } from "./serve.mjs";

const { dataDirectory, executions, ruleCount, byRule } = JSON.parse(process.argv[2]);

const built = (path) => import(new URL(`../../dist/${path}/index.js`, import.meta.url).href);
const { entityKinds } = await built("core");
const { createPluginContext } = await built("core/testing");
const { knexStorage } = await built("plugins/storage-knex");

const storage = knexStorage({ client: "sqlite" }).create();
await storage.start(createPluginContext({ dataDirectory }));
if (!byRule) {
	const { default: Database } = await import("libsql");
	const database = new Database(`${dataDirectory}/svc.db`);
	const isByRule = ({ sql }) => /\(`rule_(name|ref)`/.test(sql ?? "");
	const indexes = database.prepare("select name, sql from sqlite_master where type = 'index'").all().filter(isByRule);
	if (indexes.length !== 2)
		throw new Error(`there are ${indexes.length} indexes by rule, and not one of executions and one of enforcements`);
	for (const { name } of indexes) database.exec(`drop index "${name}"`);
	database.close();
}

let lastId = 0;
/** As the service makes them: sortable by time. */
function createId() {
	const now = Date.now();
	const hex = (value, length) => value.toString(16).padStart(length, "0");
	return `${hex(Math.floor(now / 1000), 8)}${hex((now % 1000) * 1000, 5)}${hex(++lastId % 0x100000, 5)}98f148`;
}

/** A record of a kind; what is not given is null, as it mostly is. */
function toMaker(kind) {
	const names = Object.keys(entityKinds[kind].fields);
	return (given) => Object.fromEntries(names.map((name) => [name, given[name] ?? null]));
}
const toTrace = toMaker("trace");
const toInstance = toMaker("trigger_instance");
const toExecution = toMaker("execution");
const toEnforcement = toMaker("rule_enforcement");

function toRows(body, number) {
	const now = `${new Date().toISOString().slice(0, -1)}000Z`;
	const [traceId, instanceId] = [createId(), createId()];
	const names = { trigger: "core.f2a5873d-969b-41ad-bb8a-a792d8a429b4", trigger_type: "core.svc.webhook" };
	const headers = { connection: "keep-alive", "content-length": "98", "content-type": "application/json", host: "127.0.0.1:37585" };
	const rules = Array.from({ length: executions }, (_none, index) => `rule-${(number + (index * ruleCount) / executions) % ruleCount}`);
	const started = rules.map((rule) =>
		toExecution({
			id: createId(),
			liveaction_id: createId(),
			status: "succeeded",
			action_ref: "core.noop",
			runner_name: "noop",
			user: "svc",
			author: "admin",
			trace_id: traceId,
			rule_name: rule,
			trigger_name: names.trigger.slice(5),
			trigger_type_name: names.trigger_type.slice(5),
			trigger_instance_id: instanceId,
			rule_snapshot_id: "38a543d81b71418da8822239",
			start_timestamp: now,
			end_timestamp: now,
			elapsed_seconds: 0.000123,
			due_timestamp: now,
			attempt: 1,
			snapshot_id: "d403e26ca12477207e8bb4eb",
			result_size: 49,
			log: ["requested", "scheduled", "running", "succeeded"].map((status) => ({ status, timestamp: now })),
			context: {
				trigger_instance: { id: instanceId, name: null },
				rule: { id: instanceId, name: rule },
				trace_context: { id_: traceId },
				user: "svc",
			},
			runner_info: { hostname: "host", pid: process.pid },
			parameters: {},
			result: { failed: false, succeeded: true, return_code: 0 },
		}),
	);
	const enforced = started.map(({ id, rule_name }) =>
		toEnforcement({
			id: createId(),
			rule_id: rule_name.padEnd(24, "0"),
			rule_ref: `default.${rule_name}`,
			trigger_instance_id: instanceId,
			execution_id: id,
			status: "succeeded",
			enforced_at: now,
			trace_id: traceId,
		}),
	);
	const instance = toInstance({
		id: instanceId,
		...names,
		status: "processed",
		occurrence_time: now,
		trace_id: traceId,
		unique_key: instanceId,
		depth: 0,
		attempt: 0,
		payload: { headers, headers_lower: headers, body },
	});
	return [
		{ insert: "trace", entities: [toTrace({ id: traceId, trace_tag: `webhook-${instanceId}`, start_timestamp: now })] },
		{ insert: "trigger_instance", entities: [instance] },
		{ insert: "execution", entities: started },
		{ insert: "rule_enforcement", entities: enforced },
	];
}

let count = 0;
const app = new H3().post("/rows", async (event) => {
	const number = count++;
	await storage.write(toRows(await readBody(event), number));
	event.res.status = 202;
	return { number };
});
await serve(toNodeHandler(app), () => storage.stop());

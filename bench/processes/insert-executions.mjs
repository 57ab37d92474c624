// The least that accepting a delivery takes which starts executions: h3 with one route that inserts a row for the delivery and one for each execution,
// and then updates those, durably and in groups as the service commits. Nothing is decided, run or told.
import { H3, readBody, toNodeHandler } from "h3";
import { GroupedStore } from "./grouped-store.mjs";
import { serve } from "./serve.mjs";

const { file, executions } = JSON.parse(process.argv[2]);
const store = new GroupedStore(file, [
	"CREATE TABLE delivery (id INTEGER PRIMARY KEY, received TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL)",
	"CREATE TABLE execution (id INTEGER PRIMARY KEY, status TEXT NOT NULL, parameters TEXT NOT NULL)",
]);
const insert = store.prepare("INSERT INTO delivery (id, received, action, parameters) VALUES (?, ?, ?, ?)");
const start = store.prepare("INSERT INTO execution (id, status, parameters) VALUES (?, ?, ?)");
const end = store.prepare("UPDATE execution SET status = ? WHERE id = ?");
let count = 0;

const app = new H3().post("/rows", async (event) => {
	const { action, parameters = {} } = await readBody(event);
	const text = JSON.stringify(parameters);
	const id = ++count;
	const ids = Array.from({ length: executions }, (_none, index) => id * executions + index);
	const started = ids.map((each) => [start, [each, "running", text]]);
	await store.write([[insert, [id, new Date().toISOString(), action, text]], ...started]);
	for (const each of ids) void store.write([[end, ["succeeded", each]]]);
	event.res.status = 202;
	return { id, action };
});
await serve(toNodeHandler(app), async () => {
	await store.written();
	store.stop();
});

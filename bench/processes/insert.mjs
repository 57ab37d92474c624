// The limit that accepting executions is held against: h3 with one route that inserts one row, durably, for each request.
import { H3, readBody, toNodeHandler } from "h3";
import Database from "libsql";
import { serve } from "./serve.mjs";

const { file } = JSON.parse(process.argv[2]);
const database = new Database(file);
database.exec("PRAGMA journal_mode = WAL");
database.exec("PRAGMA synchronous = FULL");
database.exec("CREATE TABLE row (id INTEGER PRIMARY KEY, received TEXT NOT NULL, action TEXT NOT NULL, parameters TEXT NOT NULL)");
const insert = database.prepare("INSERT INTO row (received, action, parameters) VALUES (?, ?, ?)");

const app = new H3().post("/rows", async (event) => {
	const { action, parameters } = await readBody(event);
	const { lastInsertRowid } = insert.run([new Date().toISOString(), action, JSON.stringify(parameters ?? {})]);
	event.res.status = 201;
	return { id: Number(lastInsertRowid), action };
});
await serve(toNodeHandler(app), () => database.close());

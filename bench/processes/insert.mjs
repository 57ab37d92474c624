// The limit that accepting executions is held against: h3 with one route that inserts one row, durably, for each request.
import { H3, readBody, toNodeHandler } from "h3";
import Database from "libsql";
import { listen } from "listhen";

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
const listener = await listen(toNodeHandler(app), {
	isProd: true,
	autoClose: false,
	showURL: false,
	hostname: "127.0.0.1",
	port: { random: true, host: "127.0.0.1" },
});
process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${listener.address.port}` })}\n`);
process.stdin.resume().on("end", async () => {
	listener.server.closeAllConnections();
	await listener.close();
	database.close();
});

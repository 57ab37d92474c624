import * as assert from "node:assert/strict";
import { connect } from "node:net";
import postgres from "postgres";
import { test } from "uvu";
import { natsTest, startNats } from "./nats.test-support.ts";
import { createTestDatabase, postgresTest, startPostgres } from "./postgres.test-support.ts";

postgresTest(test)("what was committed is there after the server was killed and started again", async () => {
	const server = await startPostgres();
	try {
		const { url } = await server.createDatabase();
		const write = postgres(url, { max: 1, fetch_types: false });
		await write.unsafe("create table notes (text text)");
		await write.unsafe("insert into notes values ('kept')");
		await write.end();
		await server.halt("kill");
		await server.resume();
		const read = postgres(url, { max: 1, fetch_types: false });
		assert.deepEqual([...(await read.unsafe("select text from notes"))], [{ text: "kept" }]);
		await read.end();
	} finally {
		await server.stop();
	}
});

postgresTest(test)("each test database is empty and its own", async () => {
	const databases = [await createTestDatabase(), await createTestDatabase()];
	assert.notEqual(databases[0]?.url, databases[1]?.url);
	for (const { drop } of databases) await drop();
});

natsTest(test)("a server of NATS can be reached while it runs", async () => {
	const server = await startNats();
	const port = Number(new URL(server.url).port);
	const reach = () =>
		new Promise<boolean>((resolve) => {
			const socket = connect(port, "127.0.0.1");
			socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
			socket.once("close", () => {});
			socket.once("connect", () => socket.destroy());
		});
	assert.equal(await reach(), true);
	await server.halt();
	assert.equal(await reach(), false);
	await server.resume();
	assert.equal(await reach(), true);
	await server.stop();
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { importPostgres, openConnection } from "./open-postgres-connection.ts";
import { toSessionSettings } from "./postgres-connection-source.ts";
import { emptyDatabase } from "./postgres-database.test-support.ts";
import { ManagedPool } from "./postgres-managed-pool.ts";
import { parsePostgresStorageOptions } from "./postgres-options.ts";
import { ServerWatch } from "./server-watch.ts";

const serverTest = postgresTest(test);

serverTest("connections that nobody uses are closed but for one, and opened again when they are needed", async () => {
	const settings = parsePostgresStorageOptions({ client: "postgres", url: await emptyDatabase() });
	if (!("target" in settings.server)) throw new Error("an address leads to a server");
	const server = { postgres: await importPostgres(), target: settings.server.target, tls: undefined };
	const opened: { readonly loss: unknown }[] = [];
	const open = async () => {
		const connection = await openConnection({ ...server, setup: toSessionSettings(settings, false) });
		opened.push(connection);
		return connection;
	};
	const pool = new ManagedPool(open, { size: 4, watch: new ServerWatch(), idleTimeoutMs: 60 });
	const sleep = () => pool.use((connection) => connection.execute("select pg_sleep(0.05)"));
	const countOpen = () => opened.filter(({ loss }) => loss === undefined).length;
	try {
		await Promise.all([sleep(), sleep(), sleep(), sleep(), sleep()]);
		assert.equal(opened.length, 4);
		await until("three of four are closed", 10, () => countOpen() === 1 || undefined);
		// As long as those that are being closed are, none is opened in their place.
		await until("another one has been opened", 10, async () => {
			await Promise.all([sleep(), sleep()]);
			return opened.length > 4 || undefined;
		});
	} finally {
		await pool.stop();
	}
	assert.equal(countOpen(), 0);
});

test.run();

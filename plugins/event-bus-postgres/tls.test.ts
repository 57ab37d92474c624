import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { test } from "uvu";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { startPostgres } from "../../core/testing/services/postgres.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { startBus } from "./postgres-bus.test-support.ts";

const { test: serverTest } = requires(test, { command: "postgres" });

serverTest("over TLS events arrive where the authority is trusted; elsewhere there is no connection", async () => {
	const certificates = await createCertificates();
	const { certificate, key, ca } = certificates;
	// The server takes a key only that belongs to its own user.
	if (process.getuid?.() === 0) execFileSync("chown", ["-R", "postgres", dirname(key)]);
	const server = await startPostgres({ ssl: "on", ssl_cert_file: certificate, ssl_key_file: key });
	const trusting = { url: server.url, ssl: { cacert: ca } };
	const [here, there] = [await startBus(trusting), await startBus(trusting)];
	const byUrl = await startBus({ url: `${server.url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}` });
	const distrustful = [await startBus({ url: server.url, ssl: true }), await startBus({ url: `${server.url}?sslmode=verify-full` })];
	try {
		for (const node of [there, byUrl]) {
			const events = await node.subscribe("a");
			here.bus.publish("a", { number: 1 });
			assert.equal((await events.next()).value?.data["number"], 1);
		}
		for (const node of distrustful) assert.match(String((await node.logged(/has no connection/)).fields["reason"]), /certificate/);
	} finally {
		for (const { bus } of [here, there, byUrl, ...distrustful]) await bus.stop?.();
		await server.stop();
		await certificates.remove();
	}
});

test.run();

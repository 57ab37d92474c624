import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "uvu";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { startNats } from "../../core/testing/services/nats.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { startBus } from "./nats-bus.test-support.ts";

const { test: natsTest } = requires(test, { command: "nats-server" });

natsTest("over TLS events arrive where the authority is trusted; elsewhere there is no connection", async () => {
	const certificates = await createCertificates();
	const { certificate, key, ca } = certificates;
	const server = await startNats(["--tls", "--tlscert", certificate, "--tlskey", key]);
	const servers = server.url.replace("nats:", "tls:");
	const options = { servers, tls: { ca: await readFile(ca, "utf8") } };
	const [here, there] = [await startBus(options), await startBus(options)];
	const [distrustful, plain] = [await startBus({ servers }), await startBus({ servers: server.url, tls: false })];
	try {
		const events = await there.subscribe("a");
		here.bus.publish("a", { number: 1 });
		assert.equal((await events.next()).value?.data["number"], 1);
		assert.match(String((await distrustful.logged(/has no connection/)).fields["reason"]), /certificate/);
		await plain.logged(/has no connection/);
	} finally {
		for (const { bus } of [here, there, distrustful, plain]) await bus.stop?.();
		await server.stop();
		await certificates.remove();
	}
});

test.run();

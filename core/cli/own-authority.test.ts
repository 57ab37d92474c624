import * as assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test as plainTest } from "uvu";
import { runSvc } from "../../plugins/_shipped/run-svc.ts";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { createService, defineConfig, type Service } from "../index.ts";
import { CapturedText } from "../testing/cli/captured-text.test-support.ts";
import { requires } from "../testing/index.ts";
import { type Certificates, createCertificates } from "../testing/services/certificates.test-support.ts";

const { test } = requires(plainTest, { command: "openssl" });
let certificates: Certificates;
let url = "";
let service: Service;

plainTest.before(async () => {
	certificates = await createCertificates();
	const tls = { use_ssl: true, cert: certificates.certificate, key: certificates.key, port: 0 };
	const config = defineConfig({
		storage: memoryStorage(),
		event_bus: memoryBus(),
		runners: [localCommand()],
		data_dir: join(dirname(certificates.ca), "data"),
		auth: { enable: false, listen: false },
		api: tls,
		stream: tls,
		log: { level: "error" },
	});
	service = createService(config);
	url = (await service.start()).addresses.api ?? "";
});

plainTest.after(async () => {
	await service.stop();
	await certificates.remove();
});

async function svc(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const env = { HOME: dirname(certificates.ca), SVC_API_URL: url, ...more };
	const exitCode = await runSvc(words, { stdout, stderr, env });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

test("a certificate of an unknown authority is refused with the option that names one's own", async () => {
	const { exitCode, stderr } = await svc(["whoami"]);
	assert.equal(exitCode, 1);
	assert.match(stderr, /^error: cannot reach the service at https:\S+: .*certificate/);
	assert.match(stderr, /\nIf the certificate is signed by your own authority, name its file with --ca or SVC_CACERT\.\n$/);
	assert.doesNotMatch(stderr, /svc serve/);
});

test("the file of the authority comes from the command line, the environment or the configuration", async () => {
	const config = join(dirname(certificates.ca), "cli-config");
	writeFileSync(config, `[general]\ncacert = ${certificates.ca}\n`);
	for (const [words, env] of [
		[["whoami", "--ca", certificates.ca], {}],
		[["whoami", "--cacert", certificates.ca], {}],
		[["whoami"], { SVC_CACERT: certificates.ca }],
		[["whoami"], { SVC_CONFIG_FILE: config }],
	] as const) {
		const { exitCode, stdout, stderr } = await svc(words, env);
		assert.equal(exitCode, 0, stderr);
		assert.match(stdout, /^username: /);
	}
});

test("the output of a run is followed with the authority, too", async () => {
	const { exitCode, stdout, stderr } = await svc(["run", "core.local", "cmd=echo out", "--ca", certificates.ca]);
	assert.deepEqual([exitCode, stdout], [0, "out\n"], stderr);
});

test("a file that holds no certificate is refused before anything is sent", async () => {
	const missing = await svc(["whoami", "--ca", "/nonexistent/ca.pem"]);
	assert.deepEqual([missing.exitCode, missing.stderr], [2, 'error: --ca: file "/nonexistent/ca.pem" does not exist\n']);
	const wrong = await svc(["whoami", "--ca", certificates.key]);
	assert.deepEqual(
		[wrong.exitCode, wrong.stderr],
		[2, `error: --ca: file "${certificates.key}" must contain certificates in PEM format\n`],
	);
});

test("an address that begins with https but is served without is answered with the reason", async () => {
	const plain = createServer((_request, response) => response.end("{}"));
	await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
	try {
		const address = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
		const { stderr } = await svc(["whoami"], { SVC_API_URL: address });
		assert.match(stderr, /^error: cannot reach the service at https:\S+: wrong version number\n/);
		assert.match(stderr, /\nThe service does not use HTTPS at this address: begin it with http:\/\/\.\n$/);
	} finally {
		plain.close();
	}
});

test("a response that the client cannot represent is an error, and ends no process", async () => {
	let status = 0;
	const key = readFileSync(certificates.key);
	const server = createHttpsServer({ key, cert: readFileSync(certificates.certificate) }, (_request, response) => {
		response.writeHead(status, { "content-type": "application/json" }).end(status === 304 ? undefined : "{}");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
		for (status of [205, 304, 999]) {
			const { exitCode, stderr } = await svc(["whoami", "--ca", certificates.ca], { SVC_API_URL: address });
			assert.equal(exitCode, 1, `${status}: ${stderr}`);
			assert.match(stderr, /^error: /);
		}
	} finally {
		server.closeAllConnections();
		server.close();
	}
});

plainTest.run();

import * as assert from "node:assert/strict";
import { type Certificates, createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import type { TestEngine } from "../_container/test-engine.test-support.ts";
import type { ContainerOptions } from "./index.ts";
import { runToEnd, Service, shell } from "./service.test-support.ts";

export interface SecureEngine {
	readonly engine: TestEngine;
	/** `tcp://…`, where certificates are asked for. */
	readonly host: string;
	/** From whose authority all certificates must be. */
	readonly certificates: Certificates;
	/** Whether it says what is wrong with a certificate of another authority; else it closes the connection. */
	readonly tellsWhy: boolean;
}

export function testTls(test: (name: string, run: () => Promise<void>) => void, name: string, start: () => Promise<SecureEngine>): void {
	test(`${name}: over TCP with certificates of both sides a container runs, and nothing is left`, async () => {
		const { engine, host, certificates } = await start();
		const { ca, certificate, key } = certificates;
		const tls = { ca_file: ca, cert_file: certificate, key_file: key };
		const { result } = await runToEnd(engine, shell("echo out; echo err >&2; exit 3"), { host, tls });
		assert.deepEqual(result, { failed: true, succeeded: false, return_code: 3, stdout: "out", stderr: "err" });
		assert.deepEqual(await engine.jobs(), []);
	});

	test(`${name}: what is wrong with certificates is said, and no container is made`, async () => {
		const { engine, host, certificates, tellsWhy } = await start();
		const other = await createCertificates();
		try {
			const own = { ca_file: certificates.ca };
			const strange = { cert_file: other.certificate, key_file: other.key };
			const refusal = "the container engine at 127.0.0.1:\\d+ refuses this service's certificate, ";
			await assertFails(
				{ host, tls: { ca_file: other.ca } },
				/the certificate of the container engine at .* is not trusted by the option "tls.ca_file"/,
			);
			await assertFails({ host, tls: own }, new RegExp(`${refusal}the option "tls.cert_file" is not set`));
			const tls = { ...own, ...strange };
			if (tellsWhy) await assertFails({ host, tls }, new RegExp(`${refusal}of the option "tls.cert_file"`));
			else await assertWaits({ host, tls }, /it may require a different client certificate, see the option "tls.cert_file"/);
		} finally {
			await other.remove();
		}
		assert.deepEqual(await engine.jobs(), []);
	});
}

async function assertFails(options: ContainerOptions, message: RegExp): Promise<void> {
	await Service.with(options, async (service) => {
		await assert.rejects(service.begin(shell("true")).end, { code: "SVC_RUNNER", message });
	});
}

/** It may be that the engine is just being restarted. */
async function assertWaits(options: ContainerOptions, logged: RegExp): Promise<void> {
	await Service.with(options, async (service) => {
		const run = service.begin(shell("true"));
		while (!service.logged.some((line) => logged.test(line))) await new Promise((resolve) => setTimeout(resolve, 20));
		run.context.abort("shutdown");
		assert.equal((await run.end).status, "running");
	});
}

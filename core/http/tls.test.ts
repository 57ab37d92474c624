import "../testing/http/answers-hook.test-support.ts";
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { test as plainTest } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import { flatFile } from "../../plugins-auth/flat-file/index.ts";
import { isSvcError, type SvcConfig } from "../contract/index.ts";
import { createLogger } from "../service/logger.ts";
import { createService } from "../service/service.ts";
import { requires } from "../testing/index.ts";

const { test } = requires(plainTest, { command: "openssl" });
const run = promisify(execFile);

interface Certificates {
	/** Path of a file by its name. */
	at(name: string): string;
	/** The authority that signed all of them. */
	readonly ca: string;
}

/** A directory with an authority and the certificates `one` and `two` (`.pem`, `.key`) for 127.0.0.1, signed by it. */
async function withCertificates(use: (certificates: Certificates) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-tls-"));
	const at = (name: string) => join(directory, name);
	const openssl = (...words: readonly string[]) => run("openssl", words, { cwd: directory });
	const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
	try {
		await openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA", "-days", "2");
		await writeFile(at("names"), "subjectAltName=IP:127.0.0.1\n");
		for (const name of ["one", "two"]) {
			await openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
			const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
			await openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, ...signed);
		}
		await use({ at, ca: await readFile(at("ca.pem"), "utf8") });
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

type Urls = { readonly auth: string; readonly api: string; readonly stream: string };

async function withTlsService(
	tls: { readonly use_ssl: boolean; readonly cert: string; readonly key: string },
	use: (urls: Urls, log: readonly string[]) => Promise<void>,
	changes: Partial<Pick<SvcConfig, "api" | "auth" | "stream">> = {},
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-tls-service-"));
	const log: string[] = [];
	const stream = { write: (text: string) => log.push(text) };
	const service = createService(
		{
			storage: memoryStorage(),
			event_bus: memoryBus(),
			runners: [],
			auth: { port: 0, ...tls, ...changes.auth, backend: flatFile({ file: join(directory, "htpasswd") }) },
			api: { port: 0, ...tls, ...changes.api },
			stream: { port: 0, ...tls, ...changes.stream },
		},
		{
			directory,
			adminPassword: "a password",
			logger: createLogger({ level: "debug", format: "json", mask_secrets: true, mask_secrets_blacklist: [] }, { debug: false, stream }),
		},
	);
	try {
		const { addresses } = await service.start();
		await use({ auth: addresses.auth ?? "", api: addresses.api ?? "", stream: addresses.stream ?? "" }, log);
	} finally {
		await service.stop();
		await rm(directory, { recursive: true, force: true });
	}
}

interface Answer {
	readonly status: number | undefined;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
}

/** Ask over TLS, trusting this authority only. */
function ask(url: string, ca: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const sent = request(url, { ca, headers, method, agent: false }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (piece: string) => {
				text += piece;
			});
			response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
		});
		sent.on("error", reject).end();
	});
}

/** Common name of the certificate that a listener shows. */
function certificateOf(url: string, ca: string): Promise<string> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect({ host: hostname, port: Number(port), ca }, () => {
			resolve(String(socket.getPeerCertificate().subject.CN));
			socket.destroy();
		});
		socket.on("error", reject);
	});
}

const basic = { authorization: `Basic ${Buffer.from("admin:a password").toString("base64")}` };

test("every component answers over TLS, says https, and lets nobody in who speaks plain HTTP or trusts another authority", () =>
	withCertificates(({ at, ca }) =>
		withTlsService({ use_ssl: true, cert: at("one.pem"), key: at("one.key") }, async (urls) => {
			for (const url of Object.values(urls)) assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
			const signedIn = await ask(`${urls.auth}/auth/v1/tokens`, ca, basic, "POST");
			assert.equal(signedIn.status, 201);
			assert.equal(signedIn.headers["x-api-url"], urls.api);
			const { token } = JSON.parse(signedIn.text) as { token: string };
			assert.equal((await ask(`${urls.api}/v1/user`, ca, { "x-auth-token": token })).status, 200);
			assert.equal((await ask(`${urls.stream}/v1/executions/x/output`, ca, { "x-auth-token": token })).status, 404);
			for (const url of Object.values(urls)) {
				await assert.rejects(fetch(url.replace("https:", "http:"), { method: "POST", headers: basic }));
				await assert.rejects(fetch(url), /fetch failed/);
			}
		}),
	));

test("one component may use TLS while the others do not", () =>
	withCertificates(({ at, ca }) =>
		withTlsService(
			{ use_ssl: false, cert: "", key: "" },
			async (urls) => {
				assert.equal((await ask(`${urls.auth}/tokens`, ca, {}, "POST")).status, 401);
				assert.equal((await fetch(`${urls.api}/v1/user`)).status, 401);
			},
			{ auth: { use_ssl: true, cert: at("one.pem"), key: at("one.key") } },
		),
	));

test("a renewed certificate is taken up without a restart, one that does not fit its key is not", () =>
	withCertificates(async ({ at, ca }) => {
		for (const part of ["pem", "key"]) await copyFile(at(`one.${part}`), at(`live.${part}`));
		await withTlsService({ use_ssl: true, cert: at("live.pem"), key: at("live.key") }, async ({ api }, log) => {
			assert.equal(await certificateOf(api, ca), "one");
			await copyFile(at("two.pem"), at("live.pem"));
			await until(() => log.some((line) => line.includes("loading the changed certificate failed")));
			assert.equal(await certificateOf(api, ca), "one");
			await copyFile(at("two.key"), at("live.key"));
			await until(async () => (await certificateOf(api, ca)) === "two");
			assert.ok(log.some((line) => line.includes("certificate reloaded")));
			assert.ok(!log.join("").includes("PRIVATE KEY"));
		});
	}));

test("certificate files that are missing, unreadable or do not fit stop the start and are named", () =>
	withCertificates(async ({ at }) => {
		const good = { use_ssl: true, cert: at("one.pem"), key: at("one.key") };
		await writeFile(at("text"), "no certificate");
		for (const [tls, message] of [
			[{ ...good, cert: "" }, /^auth\.cert: must name a file, because use_ssl is true/],
			[{ ...good, key: "" }, /^auth\.key: must name a file/],
			[{ ...good, cert: at("nothing.pem") }, /^auth\.cert: ".*nothing\.pem" cannot be read/],
			[{ ...good, key: at("") }, /^auth\.key: ".*" cannot be read/],
			[{ ...good, key: at("two.key") }, /^auth\.cert, auth\.key: ".*one\.pem" and ".*two\.key" are not a certificate and its key/],
			[{ ...good, cert: at("text") }, /^auth\.cert, auth\.key:/],
			[{ ...good, key: at("text") }, /^auth\.cert, auth\.key:/],
		] as const) {
			await assert.rejects(
				withTlsService(tls, async () => {}),
				(error) => isSvcError(error, "SVC_CONFIG") && message.test(error.message),
				String(message),
			);
		}
		const broken = { ...good, cert: at("nothing.pem") };
		for (const section of ["api", "stream"] as const) {
			await assert.rejects(
				withTlsService(good, async () => {}, { [section]: broken }),
				(error) => isSvcError(error, "SVC_CONFIG") && error.message.startsWith(`${section}.cert:`),
			);
		}
	}));

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 20_000;
	while (!(await condition())) {
		assert.ok(performance.now() < deadline, "timed out");
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

plainTest.run();

// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as requestPlainly } from "node:http";
import { request } from "node:https";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "uvu";
import { requires } from "../../core/testing/index.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";

const withOpenssl = Object.assign(requires(plainTest, { command: "openssl" }).test, { skip: plainTest.skip });
const { test } = requires(withOpenssl, { command: "nginx" });
const password = "a long password";
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Ports {
	readonly http: number;
	readonly https: number;
	readonly auth: number;
	readonly api: number;
	readonly stream: number;
}

interface Answer {
	readonly status: number | undefined;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
}

interface Asked {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: object;
	/** Called with each part of the answer as it arrives. */
	readonly onPiece?: (piece: string) => void;
}

interface Site {
	readonly ports: Ports;
	/** Sends a request to nginx over TLS. */
	ask(path: string, asked?: Asked): Promise<Answer>;
	stopService(): Promise<void>;
	/** Returns the log of nginx. */
	log(): Promise<string>;
}

/** Starts the service as the README describes, and nginx with the files of the example, on ports and paths of the test. */
async function withSite(use: (site: Site) => Promise<void>, { isSignedInByProxy = false } = {}): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-behind-a-proxy-"));
	const children: ChildProcess[] = [];
	try {
		const find = findFreePort;
		const ports = { http: await find(), https: await find(), auth: await find(), api: await find(), stream: await find() };
		await writeFiles(directory, ports, isSignedInByProxy);
		const service = startService(directory, ports, isSignedInByProxy);
		children.push(service);
		children.push(spawn("nginx", ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", "stderr"], { stdio: "ignore" }));
		const site: Site = {
			ports,
			ask: (where, asked) => askAt(`https://127.0.0.1:${ports.https}${where}`, asked),
			stopService: () => stop(service),
			log: () => readFile(join(directory, "svc.log"), "utf8"),
		};
		await until(async () => (await site.ask("/api/v1/user")).status === 401);
		await until(async () => (await site.ask("/stream/v1/stream")).status === 401);
		await use(site);
	} finally {
		for (const child of children.reverse()) await stop(child);
		await rm(directory, { recursive: true, force: true });
	}
}

async function writeFiles(directory: string, ports: Ports, isSignedInByProxy: boolean): Promise<void> {
	const certificate = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=svc.example.org", "-days", "2"];
	execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...certificate], { cwd: directory, stdio: "ignore" });
	await mkdir(join(directory, "svc.d"));
	const adapt = async (name: string) =>
		(await readFile(path(name), "utf8"))
			.replace("listen 80;", `listen 127.0.0.1:${ports.http};`)
			.replace("listen 443 ssl;", `listen 127.0.0.1:${ports.https} ssl;`)
			.replace(":9100", `:${ports.auth}`)
			.replace(":9101", `:${ports.api}`)
			.replace(":9102", `:${ports.stream}`)
			.replaceAll(/\/(?:etc\/ssl\/svc|etc\/nginx|var\/log\/nginx)\//g, `${directory}/`);
	await writeFile(join(directory, "site.conf"), await adapt("nginx.conf"));
	if (isSignedInByProxy) await writeFile(join(directory, "svc.d", "sign-in.conf"), await adapt("sign-in.conf"));
	await writeFile(join(directory, "svc.htpasswd"), `maria:{SHA}${createHash("sha1").update(password).digest("base64")}\n`);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${directory}/${kind};`);
	const user = userInfo().uid === 0 ? "user root;" : "";
	const http = `http { ${temporary.join(" ")} access_log off; include ${directory}/site.conf; }`;
	await writeFile(join(directory, "nginx.conf"), `${user} daemon off; pid ${directory}/pid; worker_processes 1; events {} ${http}\n`);
}

function startService(directory: string, ports: Ports, isSignedInByProxy: boolean): ChildProcess {
	return spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: "ignore",
		env: {
			...process.env,
			...{ SVC_DATA_DIR: join(directory, "data"), SVC_ADMIN_PASSWORD: password },
			...{ SVC_AUTH_PORT: `${ports.auth}`, SVC_API_PORT: `${ports.api}`, SVC_STREAM_PORT: `${ports.stream}` },
			...(isSignedInByProxy && { SVC_AUTH_MODE: "proxy", SVC_AUTH_PROXY_SECRET: "put-your-secret-here" }),
		},
	});
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, "exit");
	child.kill();
	await ended;
}

function askAt(url: string, { method = "GET", headers = {}, body, onPiece }: Asked = {}): Promise<Answer> {
	const send = url.startsWith("https:") ? request : requestPlainly;
	return new Promise((resolve, reject) => {
		const options = { method, headers: { ...headers, ...(body && { "content-type": "application/json" }) }, rejectUnauthorized: false };
		const sent = send(url, { ...options, agent: false }, (response) => {
			let text = "";
			response.setEncoding("utf8").on("data", (piece: string) => {
				text += piece;
				onPiece?.(piece);
			});
			response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
			response.on("error", reject);
		});
		sent.on("error", reject).end(body && JSON.stringify(body));
	});
}

async function until(condition: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!(await condition().catch(() => false))) {
		assert.ok(performance.now() < deadline, "timed out");
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

const basic = (user: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}` });
const parse = ({ text }: Answer) => JSON.parse(text) as Record<string, string>;

test("through nginx one signs in, runs an action and sees its output live", () =>
	withSite(async ({ ask, ports, stopService, log }) => {
		const signedIn = await ask("/auth/v1/tokens", { method: "POST", headers: basic("admin", password) });
		assert.equal(signedIn.status, 201);
		assert.equal(signedIn.headers["x-api-url"], "https://svc.example.org/api");
		const { token = "" } = parse(signedIn);
		const headers = { "x-auth-token": token };
		const run = { action: "core.local", parameters: { cmd: "echo first; sleep 1; echo second" } };
		const { id } = parse(await ask("/api/v1/executions", { method: "POST", headers, body: run }));
		const arrivals: number[] = [];
		const onPiece = (piece: string) => {
			if (/"(?:first|second)\\n"/.test(piece)) arrivals.push(performance.now());
		};
		const output = await ask(`/stream/v1/executions/${id}/output?x-auth-token=${token}`, { onPiece });
		assert.match(output.text, /first[^]*second[^]*event: EOF/);
		assert.equal(arrivals.length, 2);
		assert.ok((arrivals[1] ?? 0) - (arrivals[0] ?? 0) > 500, "the first line waited for the second");
		assert.equal((await ask(`/api/v1/apikeys/${token}`, { headers })).status, 404);
		const redirect = await askAt(`http://127.0.0.1:${ports.http}/api/v1/user`);
		assert.deepEqual([redirect.status, redirect.headers["location"]], [308, "https://127.0.0.1/api/v1/user"]);
		assert.equal((await ask("/api/v1/user", { method: "PATCH", headers })).status, 405);
		await stopService();
		const down = await ask("/api/v1/user", { headers });
		assert.deepEqual([down.status, down.headers["content-type"], down.headers["retry-after"]], [503, "application/json", "1"]);
		assert.match(parse(down)["faultstring"] ?? "", /not running/);
		const quiet = await ask("/stream/v1/stream", { headers });
		assert.deepEqual([quiet.status, quiet.headers["content-type"], quiet.text], [200, "text/event-stream", "retry: 1000\n\n"]);
		const logged = await log();
		assert.match(logged, /"GET \/api\/v1\/apikeys\/\.\.\."/);
		assert.ok(!logged.includes(token));
	}));

test("in proxy mode nginx verifies the password, and nobody outside can name another user", () =>
	withSite(
		async ({ ask, ports }) => {
			const signIn = (headers: Record<string, string>) => ask("/auth/v1/tokens", { method: "POST", headers });
			assert.equal((await signIn({})).status, 401);
			assert.equal((await signIn(basic("maria", "wrong"))).status, 401);
			assert.equal((await signIn({ "x-forwarded-user": "admin" })).status, 401);
			const spoofed = { "x-forwarded-user": "admin", "remote-user": "admin", "x-remote-user": "admin", remote_user: "admin" };
			const signedIn = parse(await signIn({ ...basic("maria", password), ...spoofed }));
			assert.equal(signedIn["user"], "maria");
			const headers = { "x-auth-token": signedIn["token"] ?? "" };
			assert.equal(parse(await ask("/api/v1/user", { headers: { ...headers, ...spoofed } }))["username"], "maria");
			for (const port of [ports.auth, ports.api]) {
				const beside = await askAt(`http://127.0.0.1:${port}/auth/v1/tokens`, { method: "POST", headers: { "x-forwarded-user": "admin" } });
				assert.equal(beside.status, 401, "a program beside the proxy");
			}
			assert.equal((await ask("/auth/v1/tokens/validate", { method: "POST", headers, body: { token: "x" } })).status, 200);
		},
		{ isSignedInByProxy: true },
	));

plainTest.run();

// test-waits
import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { test } from "uvu";
import { stringify } from "yaml";
import type { Runner } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { kubernetesJob } from "./index.ts";
import { findAccess, KubeClient } from "./kube-client.ts";
import { KubeServer } from "./kube-server.test-support.ts";
import { assertOptions, type KubernetesJobOptions } from "./options.ts";

const run = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), "svc-kube-access-"));
const file = (name: string) => join(directory, name);
const certificates = await createCertificates();
const [clientCertificate, clientKey] = [file("client.crt"), file("client.key")];
await run("openssl", [
	...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=svc"],
	...["-keyout", clientKey, "-out", clientCertificate],
]);
const read = (path: string) => readFile(path, "utf8");
const server = await KubeServer.start({
	cert: await read(certificates.certificate),
	key: await read(certificates.key),
	ca: await read(clientCertificate),
});
test.before.each(async () => {
	server.tokens = new Set(["t0ken-1"]);
	await writeFile(file("token"), "t0ken-1\n");
});
test.after(async () => {
	await server.stop();
	await certificates.remove();
	await rm(directory, { recursive: true });
});

async function withRunner(
	options: KubernetesJobOptions,
	use: (begin: (given: RunContextOptions) => ReturnType<typeof follow>) => Promise<void>,
) {
	const runner: Runner = kubernetesJob({ kill_grace: 1, ...options }).create();
	const clock = { now: () => Date.now() * 1_000 };
	await runner.start?.({ logger: silentLogger, clock, dataDirectory: "/tmp", nodeId: "tests", options: createOptions() });
	try {
		await use((given) => follow(runner, given));
	} finally {
		await runner.stop?.();
	}
}

function follow(runner: Runner, given: RunContextOptions) {
	const context = createRunContext(runner, given);
	const end = runner.run(context).finally(() => runner.afterRun?.(context));
	end.catch(() => {});
	return { context, end };
}

const command = (cmd: string): RunContextOptions => ({ runnerParameters: { image: "busybox", cmd } });
const byToken = { server: server.url, ca_file: certificates.ca, token_file: file("token") };

async function assertRuns(options: KubernetesJobOptions, namespace = "default"): Promise<void> {
	await withRunner(options, async (begin) => {
		const { result } = await begin(command("echo here")).end;
		assert.deepEqual([result["stdout"], result["namespace"]], ["here", namespace]);
	});
}

/** A kubeconfig as `kubectl` has it; `user` and `cluster` are what its entries say. */
async function writeKubeconfig(user: object, cluster: object = {}, more: object = {}): Promise<string> {
	const path = file("kubeconfig");
	const text = stringify({
		apiVersion: "v1",
		kind: "Config",
		preferences: {},
		clusters: [{ name: "lab", cluster: { server: server.url, "certificate-authority": certificates.ca, ...cluster } }],
		users: [
			{ name: "svc", user },
			{ name: "nobody", user: { token: "wr0ng" } },
		],
		contexts: [
			{ name: "svc@lab", context: { cluster: "lab", user: "svc", namespace: "actions" } },
			{ name: "nobody@lab", context: { cluster: "lab", user: "nobody" } },
		],
		"current-context": "svc@lab",
		...more,
	});
	await writeFile(path, text);
	return path;
}

const inline = async (path: string) => Buffer.from(await read(path)).toString("base64");

test("a token from a file, and a client certificate in its place, over TLS", async () => {
	await assertRuns(byToken);
	await assertRuns({
		server: server.url,
		ca_file: certificates.ca,
		client_certificate_file: clientCertificate,
		client_key_file: clientKey,
	});
});

test("a kubeconfig: data in it or in files beside it, a token, one in a file, the context's namespace", async () => {
	await writeFile(file("beside.crt"), await read(clientCertificate));
	await writeFile(file("beside.key"), await read(clientKey));
	const data = { "client-certificate-data": await inline(clientCertificate), "client-key-data": await inline(clientKey) };
	for (const [user, cluster] of [
		[data, { "certificate-authority-data": await inline(certificates.ca), "certificate-authority": "/nowhere" }],
		[{ "client-certificate": "beside.crt", "client-key": "beside.key" }],
		[{ token: "t0ken-1" }, { "tls-server-name": "localhost" }],
		[{ token: "old", tokenFile: basename(file("token")) }],
	]) {
		await assertRuns({ kubeconfig: await writeKubeconfig(user ?? {}, cluster) }, "actions");
	}
	const { token, namespace } = await findAccess({ kubeconfig: file("kubeconfig"), context: "nobody@lab" });
	assert.deepEqual([token, namespace], ["wr0ng", undefined]);
});

requires(test, { command: "kubectl" }).test("kubectl takes the kubeconfig that the runner takes", async () => {
	const kubeconfig = await writeKubeconfig(
		{ token: "t0ken-1" },
		{
			"certificate-authority": undefined,
			"certificate-authority-data": await inline(certificates.ca),
		},
	);
	await withRunner({ kubeconfig }, async (begin) => {
		const { context, end } = begin(command("echo ready; exec sleep 600"));
		await context.waitFor("stdout", "ready\n");
		const env = { PATH: process.env["PATH"], HOME: directory };
		const { stdout } = await run("kubectl", ["--kubeconfig", kubeconfig, "delete", "job", `svc-${context.liveaction_id}`, "-o", "name"], {
			env,
		});
		assert.equal(stdout, `job.batch/svc-${context.liveaction_id}\n`);
		assert.match(String((await end).result["error"]), /it was deleted by another client/);
	});
});

test("what a kubeconfig says that is not done is refused by its name, and no secret of it is told", async () => {
	const rows: readonly [user: object, said: RegExp, cluster?: object, more?: object][] = [
		[
			{ exec: { apiVersion: "client.authentication.k8s.io/v1", command: "fetch", args: ["s3cret"] } },
			/exec of user "svc": credential commands are not supported/,
		],
		[{ "auth-provider": { name: "oidc", config: { "id-token": "s3cret" } } }, /auth-provider of user "svc"/],
		[{ username: "admin", password: "s3cret" }, /username of user "svc": API servers no longer accept passwords/],
		[{ token: "s3cret", as: "admin" }, /as of user "svc": impersonation is not supported/],
		[{ token: ["s3cret"] }, /a string as token of its user/],
		[{ "client-certificate-data": "s3cret", "client-key-data": "s3cret" }, /Base64-encoded PEM as client-certificate-data/],
		[{ token: "s3cret" }, /insecure-skip-tls-verify of cluster "lab"/, { "insecure-skip-tls-verify": true }],
		[{ token: "s3cret" }, /proxy-url of cluster "lab"/, { "proxy-url": "http://proxy" }],
		[{ token: "s3cret" }, /must have a server that begins with https/, { server: "http://10.0.0.1" }],
		[{ token: "s3cret" }, /has no context "gone"/, {}, { "current-context": "gone" }],
		[{ token: "s3cret" }, /has no current-context/, {}, { "current-context": "" }],
		[{ token: "s3cret" }, /has no user "svc"/, {}, { users: null }],
	];
	for (const [user, said, cluster, more] of rows) {
		const error = await findAccess({ kubeconfig: await writeKubeconfig(user, cluster, more) }).catch((refusal: Error) => refusal);
		assert.match(String(error), said);
		assert.ok(!/s3cret|czNjcmV0/.test(`${error} ${(error as Error).stack}`), String(error));
	}
	await writeFile(file("kubeconfig"), "token: s3cret\n\tusers: [");
	await assert.rejects(
		findAccess({ kubeconfig: file("kubeconfig") }),
		/^SvcError: kubeconfig ".*" of runner "kubernetes-job" is not YAML$/,
	);
	await assert.rejects(findAccess({ kubeconfig: file("none") }), /cannot read ".*none"/);
	assert.throws(() => assertOptions({ context: "x" }), /context of runner "kubernetes-job" is for kubeconfig/);
	assert.throws(() => assertOptions({ kubeconfig: "/x", token_file: "/y" }), /token_file .* cannot be combined/);
});

test("in a pod the account of its directory is used, and its namespace", async () => {
	const account = file("serviceaccount");
	await mkdir(account);
	for (const [name, text] of [
		["ca.crt", await read(certificates.ca)],
		["token", "t0ken-1"],
		["namespace", "of-pod"],
	] as const)
		await writeFile(join(account, name), text);
	await assert.rejects(
		findAccess({ service_account_directory: account }),
		/requires the option server or kubeconfig, because it does not run in a pod/,
	);
	const { hostname, port } = new URL(server.url);
	Object.assign(process.env, { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port });
	try {
		await assertRuns({ service_account_directory: account }, "of-pod");
	} finally {
		for (const name of ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]) delete process.env[name];
	}
});

test("while a run goes on its token may run out, and its file be away for a moment", async () => {
	await withRunner(byToken, async (begin) => {
		const accepted = server.accepted;
		const { context, end } = begin(command("echo one; while [ ! -e go ]; do sleep 0.1; done; echo two".replace("go", file("go"))));
		await context.waitFor("stdout", "one\n");
		server.tokens = new Set(["t0ken-2"]);
		await rm(file("token"));
		server.cut();
		server.mend();
		const refused = () => server.requests.filter((line) => line.endsWith("401")).length;
		await writeFile(file("token"), "t0ken-1");
		for (const before = refused(); refused() === before; ) await new Promise((resolve) => setTimeout(resolve, 20));
		await writeFile(file("token"), "t0ken-2");
		await writeFile(file("go"), "");
		const { succeeded, result } = await end;
		assert.deepEqual([succeeded, result["stdout"], server.accepted - accepted], [true, "one\ntwo", 1]);
	});
});

test("a token that nobody takes fails before there is a job, with the server's word", async () => {
	await writeFile(file("token"), "wr0ng");
	await withRunner(byToken, async (begin) => {
		const { end } = begin(command("true"));
		await assert.rejects(
			end,
			(error: Error) => /the cluster refuses it: Unauthorized/.test(error.message) && !error.message.includes("wr0ng"),
		);
	});
});

test("a server whose certificate the authority has not signed is told no token and no job", async () => {
	const before = server.requests.length;
	await withRunner({ ...byToken, ca_file: clientCertificate }, async (begin) => {
		const { context, end } = begin(command("true"));
		await context.waitFor("other", "the cluster cannot be reached; the job waits: the API server cannot be reached: ");
		context.abort("cancel");
		assert.equal((await end).succeeded, false);
	});
	assert.equal(server.requests.length, before);
});

(process.platform === "linux" ? test : test.skip)(
	"TCP probes a connection over TLS that is silent, to find out if it is dead",
	async () => {
		const client = new KubeClient(byToken);
		const stopped = new AbortController();
		const before = server.requests.length;
		const end = client.follow({ path: "/api/v1/namespaces/default/pods?watch=true", signal: stopped.signal }).next();
		while (server.requests.length === before) await delay(20);
		const port = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
		// Columns: remote address, state, queues, and the timer that runs: 02 is that of keepalive.
		const probed = new RegExp(` [0-9A-F]{8}:${port} 01 \\S+ 02:`);
		let connections = "";
		for (const begun = Date.now(); !probed.test(connections) && Date.now() - begun < 5_000; await delay(20))
			connections = await read("/proc/self/net/tcp");
		stopped.abort();
		await end.catch(() => {});
		client.stop();
		assert.match(connections, probed);
	},
);

test("certificates that are none are found at the start", async () => {
	await assert.rejects(
		withRunner({ ...byToken, ca_file: file("token") }, async () => {}),
		/has certificates or a key that are not PEM/,
	);
});

test.run();

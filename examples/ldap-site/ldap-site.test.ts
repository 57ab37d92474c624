// test-suite: full
import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test } from "uvu";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { people, type Slapd, service, slapdTest, startSlapd, toGroup, toPerson } from "../../plugins-auth/ldap/slapd.test-support.ts";

interface Site {
	readonly slapd: Slapd;
	/** Address of the API. */
	readonly api: string;
	/** Output of the service. */
	output(): string;
}

const entries = [
	...["ann", "olga", "gus"].map((name) => toPerson(name, `password of ${name}`)),
	toGroup("staff", [`uid=ann,${people}`]),
	toGroup("ops", [`uid=olga,${people}`]),
];

function startService(directory: string, environment: Readonly<Record<string, string>>): ChildProcess {
	const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
	return spawn(process.execPath, [path("../../dist/plugins/_shipped/main.js"), "serve", "--config", path("svc.config.ts")], {
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			...process.env,
			...{ SVC_DATA_DIR: directory, SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
			...{ LDAP_HOST: "localhost", LDAP_BIND_PASSWORD: service.password },
			...environment,
		},
	});
}

async function readAddress(child: ChildProcess): Promise<string> {
	const lines: string[] = [];
	for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
		lines.push(line);
	}
	throw new Error(`the service has ended: ${lines.join("\n")}`);
}

async function signIn(
	{ api }: Pick<Site, "api">,
	name: string,
	password = `password of ${name}`,
): Promise<{ status: number; user?: string; token?: string }> {
	const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
	const response = await fetch(`${api}/auth/v1/tokens`, { method: "POST", headers: { authorization } });
	return { ...((await response.json()) as object), status: response.status };
}

async function isAdmin({ api }: Pick<Site, "api">, token = ""): Promise<boolean> {
	const response = await fetch(`${api}/v1/user`, { headers: { "x-auth-token": token } });
	return ((await response.json()) as { rbac: { is_admin: boolean } }).rbac.is_admin;
}

async function runAction({ api }: Site, token = ""): Promise<number> {
	const response = await fetch(`${api}/v1/executions`, {
		method: "POST",
		headers: { "x-auth-token": token, "content-type": "application/json" },
		body: JSON.stringify({ action: "core.local", parameters: { cmd: "true" } }),
	});
	return response.status;
}

/** Signs in users of the directory, and checks the permissions of their groups. */
async function assertDirectory(site: Site): Promise<void> {
	const ann = await signIn(site, "ann");
	assert.equal(ann.status, 201, site.output());
	assert.equal(ann.user, "ann");
	assert.equal(await isAdmin(site, ann.token), false);
	const olga = await signIn(site, "OLGA", "password of olga");
	assert.equal(olga.user, "olga");
	assert.equal(await isAdmin(site, olga.token), true);
	assert.equal((await signIn(site, "ann", "wrong")).status, 401);
	assert.equal((await signIn(site, "ann", "")).status, 401);
	assert.equal((await signIn(site, "gus")).status, 401);
	assert.equal((await signIn(site, "nobody")).status, 401);
	await site.slapd.stop();
	assert.equal((await signIn(site, "ann")).status, 503);
	assert.equal(await runAction(site, olga.token), 201);
	for (const secret of ["password of", service.password]) assert.ok(!site.output().includes(secret));
}

/** Starts the service with one of its backends, and stops it after `use`. */
async function withBackend(
	backend: string,
	{ directory, environment }: { directory: string; environment: Readonly<Record<string, string>> },
	use: (api: string, output: () => string) => Promise<void>,
): Promise<void> {
	const child = startService(directory, { ...environment, SVC_AUTH_BACKEND: backend });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece: Buffer) => (output += piece));
	const ended = once(child, "exit");
	try {
		await use(await readAddress(child), () => output);
	} finally {
		child.kill();
		await ended;
	}
}

async function statusOf(api: string, headers: Readonly<Record<string, string>>): Promise<number> {
	return (await fetch(`${api}/v1/user`, { headers })).status;
}

slapdTest(test, "openssl")(
	"a site moves from its password file to the directory and back: its people sign in, and tokens and API keys go on",
	async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-ldap-site-"));
		const certificates = await createCertificates();
		const slapd = await startSlapd({ entries, certificates });
		const old = "password of before";
		const hash = createHash("sha1").update(old).digest("base64");
		await writeFile(join(directory, "htpasswd"), `olga:{SHA}${hash}\nfred:{SHA}${hash}\n`);
		const site = { directory, environment: { LDAP_PORT: String(slapd.ports.ldap), LDAP_CACERT: certificates.ca } };
		let tokens: string[] = [];
		let key = "";
		const assertAllIn = async (api: string) => {
			for (const token of tokens) assert.equal(await statusOf(api, { "x-auth-token": token }), 200);
			assert.equal(await statusOf(api, { "svc-api-key": key }), 200);
		};
		try {
			await withBackend("flat_file", site, async (api) => {
				tokens = await Promise.all(["olga", "fred"].map(async (name) => (await signIn({ api }, name, old)).token ?? ""));
				const headers = { "x-auth-token": tokens[0] ?? "", "content-type": "application/json" };
				const response = await fetch(`${api}/v1/apikeys`, { method: "POST", headers, body: "{}" });
				key = ((await response.json()) as { key: string }).key;
				await assertAllIn(api);
			});
			await withBackend("ldap", site, async (api, output) => {
				// Tokens stay valid, even for a user who is not in the directory.
				await assertAllIn(api);
				for (const name of ["olga", "fred"]) assert.equal((await signIn({ api }, name, old)).status, 401);
				const { token = "" } = await signIn({ api }, "olga");
				assert.equal(await isAdmin({ api }, token), true);
				tokens.push(token);
				await assertDirectory({ slapd, api, output });
			});
			await withBackend("flat_file", site, async (api) => {
				await assertAllIn(api);
				assert.equal((await signIn({ api }, "olga")).status, 401);
				const { token = "" } = await signIn({ api }, "olga", old);
				assert.equal(await isAdmin({ api }, token), true);
				const remote = await fetch(`${api}/v1/rbac/role_assignments?user=olga&remote=true`, { headers: { "x-auth-token": token } });
				assert.equal(((await remote.json()) as object[]).length, 1, "the role by group stays while nothing reports groups");
			});
		} finally {
			await slapd.stop();
			await certificates.remove();
			await rm(directory, { recursive: true });
		}
	},
);

test("the guide to the move shows the configuration as it is here", () => {
	const read = (name: string) => readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8");
	assert.ok(read("../../docs/guides/change-the-auth-backend.md").includes(read("svc.config.ts")));
});

test.run();

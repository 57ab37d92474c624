import * as assert from "node:assert/strict";
import { chown, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { type Certificates, createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { type PostgresServer, postgresTest, startPostgres } from "../../core/testing/services/postgres.test-support.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { missing, requires } from "../../core/testing/test-requirements.ts";
import { administer, dropEmptyDatabase, emptyDatabase, refused, startPostgresStorage } from "./postgres-database.test-support.ts";

const serverTest = postgresTest(test);
const openssl = { command: "openssl" };
const tlsTest = missing(openssl) === undefined ? serverTest : requires(test, openssl).test;

interface SecuredServer {
	readonly server: PostgresServer;
	readonly certificates: Certificates;
	remove(): Promise<void>;
}

/** A server with TLS, on which Ann needs a password and Bob a client certificate. */
async function startSecured(): Promise<SecuredServer> {
	const certificates = await createCertificates();
	const directory = await mkdtemp(join(tmpdir(), "svc-postgres-tls-"));
	const file = (name: string) => join(directory, name);
	await writeFile(file("hba"), "host all postgres all trust\nhostssl all ann all scram-sha-256\n");
	await Promise.all([copyFile(certificates.certificate, file("crt")), copyFile(certificates.key, file("key"))]);
	const passwd = await readFile("/etc/passwd", "utf8");
	const [, uid = "", gid = ""] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? [];
	if (process.getuid?.() === 0)
		for (const path of [directory, file("hba"), file("crt"), file("key")]) await chown(path, Number(uid), Number(gid));
	const server = await startPostgres({ ssl: "on", ssl_cert_file: file("crt"), ssl_key_file: file("key"), hba_file: file("hba") });
	const databases = ["create database ann owner ann", "create database latin owner ann encoding 'LATIN1' locale 'C' template template0"];
	for (const sql of ["create role ann login password 'geheim'", ...databases]) await administer(server.url, sql);
	return {
		server,
		certificates,
		async remove() {
			await server.stop();
			await certificates.remove();
			await rm(directory, { recursive: true });
		},
	};
}

tlsTest("TLS with a verified certificate, a password, and what is wrong with either", async () => {
	const { server, certificates, remove } = await startSecured();
	try {
		const url = (password: string, rest: string) => `postgres://ann:${password}@127.0.0.1:${server.port}/${rest}`;
		const tls = { cacert: certificates.ca };
		const works = async (options: Parameters<typeof startPostgresStorage>[0]) => (await startPostgresStorage(options)).stop?.();
		await works({ url: url("geheim", "ann"), ssl: tls });
		const encrypted = await startPostgresStorage({ url: url("geheim", "ann"), ssl: tls });
		const sessions = "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'ann'";
		assert.deepEqual(await administer(server.url, sessions), [{ ssl: true }]);
		await encrypted.stop?.();
		await works({ url: url("geheim", `ann?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.ca)}`) });
		await works({ url: url("geheim", "ann?sslmode=require") });
		await works({ url: url("geheim", "ann"), ssl: { verify: false } });
		await assert.rejects(works({ url: url("geheim", "ann"), ssl: true }), refused("SVC_UNAVAILABLE", /certificate/));
		await assert.rejects(
			works({ url: url("geheim", "ann"), ssl: { ...tls, server_name: "other.example.org" } }),
			refused("SVC_UNAVAILABLE", /./),
		);
		await assert.rejects(works({ url: url("geheim", "ann") }), refused("SVC_CONFIG", /no encryption/));
		await assert.rejects(works({ url: url("falsch", "ann"), ssl: tls }), refused("SVC_CONFIG", /password authentication failed/));
		await assert.rejects(works({ url: url("geheim", "nowhere"), ssl: tls }), refused("SVC_CONFIG", /"nowhere" does not exist/));
		await assert.rejects(works({ url: url("geheim", "latin"), ssl: tls }), refused("SVC_CONFIG", /UTF8 is required/));
		await assert.rejects(works({ url: url("geheim", "postgres"), ssl: tls }), refused("SVC_CONFIG", /may not change the tables/));
		await assert.rejects(
			works({ url: url("geheim", "postgres"), schema: "mine", ssl: tls }),
			refused("SVC_CONFIG", /storage\.schema "mine" does not exist/),
		);
	} finally {
		await remove();
	}
});

serverTest("a server without TLS is refused when TLS is asked for", async () => {
	await assert.rejects(startPostgresStorage({ url: await emptyDatabase(), ssl: true }), refused("SVC_UNAVAILABLE", /does not offer TLS/));
});

serverTest("a server is reached through a Unix socket", async () => {
	const server = await startPostgres({ unix_socket_directories: tmpdir() });
	try {
		const storage = await startPostgresStorage({ url: `${server.url}?host=${encodeURIComponent(tmpdir())}` });
		await storage.insert("trace", [createTrace("a")]);
		await storage.stop?.();
		assert.deepEqual(await administer(server.url, "select count(*)::int as count from traces"), [{ count: 1 }]);
	} finally {
		await server.stop();
	}
});

test.after(dropEmptyDatabase);

test.run();

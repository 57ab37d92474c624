// test-suite: full
import * as assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "uvu";
import { parse } from "yaml";
import { requires } from "../../core/testing/test-requirements.ts";

/** Parts of the file that the test checks. */
type Part = { readonly [member: string]: Part } & readonly Part[];

test("the compose file has a database that is waited for, and a service that may write nothing but its volume", () => {
	const { services, volumes } = parse(readFileSync(new URL("compose.yaml", import.meta.url), "utf8")) as Part;
	const { svc, database } = services as Part;
	assert.equal(String(svc?.["depends_on"]?.["database"]?.["condition"]), "service_healthy");
	assert.match(String(database?.["image"]), /\/postgres:\d+/);
	assert.deepEqual([svc?.["read_only"], svc?.["cap_drop"]], [true, ["ALL"]]);
	assert.match(JSON.stringify(svc?.["healthcheck"]), /health\/ready/);
	assert.deepEqual(Object.keys(volumes ?? {}), ["database", "data"]);
	// The file must not contain a password.
	for (const name of ["POSTGRES_PASSWORD", "SVC_ADMIN_PASSWORD"]) assert.ok(JSON.stringify(services).includes(`{${name}:?`), name);
});

requires(test, { command: "docker-compose" }).test("compose itself reads the file, and starts nothing without passwords", async () => {
	const file = fileURLToPath(new URL("compose.yaml", import.meta.url));
	const read = (given: object) =>
		promisify(execFile)("docker-compose", ["-p", "svc", "-f", file, "config"], { env: { PATH: process.env["PATH"], ...given } });
	// A password that would have to be escaped in a URL.
	const { stdout } = await read({ POSTGRES_PASSWORD: "o/n@e:", SVC_ADMIN_PASSWORD: "two" });
	const { services, volumes } = parse(stdout) as Part;
	const { svc, database } = services as Part;
	assert.deepEqual(svc?.["environment"], {
		DATABASE_URL: "postgres://svc@database/svc",
		PGPASSWORD: "o/n@e:",
		SVC_ADMIN_PASSWORD: "two",
	});
	assert.equal(String(svc?.["image"]), "svc:latest");
	assert.deepEqual(database?.["healthcheck"]?.["test"], ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "svc", "-d", "svc"]);
	assert.deepEqual(Object.keys(volumes ?? {}).sort(), ["data", "database"]);
	await assert.rejects(read({ POSTGRES_PASSWORD: "one" }), /set a password/);
});

test("the command for the health of the node says what the node says", async () => {
	const { services } = parse(readFileSync(new URL("compose.yaml", import.meta.url), "utf8")) as Part;
	const [, , ...words] = (services?.["svc"]?.["healthcheck"]?.["test"] ?? []) as unknown as readonly string[];
	const asked: string[] = [];
	let status = 503;
	const server = createServer(({ url = "" }, response) => {
		asked.push(url);
		response.writeHead(status).end();
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const ask = async () => {
		const child = spawn(
			process.execPath,
			words.map((word) => word.replace("127.0.0.1:9101", address)),
			{ stdio: "ignore" },
		);
		return ((await once(child, "exit")) as [number | null])[0];
	};
	assert.equal(await ask(), 1);
	status = 200;
	assert.equal(await ask(), 0);
	server.close();
	await once(server, "close");
	assert.deepEqual(asked, ["/v1/health/ready", "/v1/health/ready"]);
	assert.equal(await ask(), 1, "nobody listens");
});

test.run();

import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import { parse } from "yaml";

/** Parts of the file, as far as the test looks at them. */
type Part = { readonly [member: string]: Part } & readonly Part[];

test("the compose file has a database that is waited for, and a service that may write nothing but its volume", () => {
	const { services, volumes } = parse(readFileSync(new URL("compose.yaml", import.meta.url), "utf8")) as Part;
	const { svc, database } = services as Part;
	assert.equal(String(svc?.["depends_on"]?.["database"]?.["condition"]), "service_healthy");
	assert.match(String(database?.["image"]), /\/postgres:\d+/);
	assert.deepEqual([svc?.["read_only"], svc?.["cap_drop"]], [true, ["ALL"]]);
	assert.match(JSON.stringify(svc?.["healthcheck"]), /health\/ready/);
	assert.deepEqual(Object.keys(volumes ?? {}), ["database", "data"]);
	// Nobody starts it with a password that stands in a file of the project.
	for (const name of ["POSTGRES_PASSWORD", "SVC_ADMIN_PASSWORD"]) assert.ok(JSON.stringify(services).includes(`{${name}:?`), name);
});

test.run();

import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { importPackage } from "./import-package.ts";

test("a missing package is named, and who needs it", async () => {
	for (const [name, install] of [
		["no-such-package/inside", "npm install no-such-package ("],
		["@no-such/package/inside", "npm install @no-such/package ("],
	] as const) {
		await assert.rejects(importPackage(name, "the test"), (error) => {
			return isSvcError(error, "SVC_CONFIG") && error.message.startsWith("the test needs the package") && error.message.includes(install);
		});
	}
});

test("a package that is there is loaded, whatever kind of module it is", async () => {
	assert.equal(typeof (await importPackage("postgres", "the test")), "function");
	assert.equal(typeof ((await importPackage("@nats-io/transport-node", "the test")) as { connect: unknown }).connect, "function");
});

test.run();

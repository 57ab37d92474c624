import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { toServiceDependency } from "./template-files.ts";

const home = mkdtempSync(join(tmpdir(), "svc-dependency-"));
const root = join(home, "project/node_modules/svc-automation");
mkdirSync(root, { recursive: true });
mkdirSync(join(home, "files"));
writeFileSync(join(home, "files/svc-automation-0.1.0.tgz"), "");
test.after(() => rmSync(home, { recursive: true }));

/** What a new package at a path gets, when npm has put the service here from there. */
function dependency(path: string, entry?: object): string {
	const lock = { packages: entry === undefined ? {} : { "node_modules/svc-automation": entry } };
	writeFileSync(join(root, "../.package-lock.json"), JSON.stringify(lock));
	return toServiceDependency(root, join(home, path), "0.1.0");
}

const packed = { version: "0.1.0", resolved: "file:../files/svc-automation-0.1.0.tgz" };

test("a package beside the project takes the packed file, as npx may throw away its copy", () => {
	assert.equal(dependency("weather", packed), "file:../files/svc-automation-0.1.0.tgz");
});

test("a package inside the project takes the project's copy, so that there is one", () => {
	assert.equal(dependency("project/weather", packed), "file:../node_modules/svc-automation");
});

test("where the packed file is gone, and where npm has put nothing, it takes the copy that is here", () => {
	const here = "file:../project/node_modules/svc-automation";
	assert.equal(dependency("weather", { ...packed, resolved: "file:../files/svc-automation-0.0.9.tgz" }), here);
	assert.equal(dependency("weather"), here);
	const checkout = join(home, "files");
	assert.equal(toServiceDependency(checkout, join(home, "weather"), "0.1.0"), "file:../files");
});

test("from a registry it takes the release, though npm may have left the registry's address out", () => {
	const resolved = "https://registry.example.org/svc-automation/-/svc-automation-0.1.0.tgz";
	for (const path of ["weather", "project/weather"]) {
		assert.equal(dependency(path, { version: "0.1.0", resolved }), "^0.1.0");
		assert.equal(dependency(path, { version: "0.1.0", integrity: "sha512-…" }), "^0.1.0");
	}
});

test("from another address it takes that address", () => {
	const resolved = "https://files.example.org/svc-automation-0.1.0.tgz";
	assert.equal(dependency("weather", { version: "0.1.0", resolved }), resolved);
});

test.run();

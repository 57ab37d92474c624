// test-timeout: 200
import * as assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { test } from "uvu";
import { pack } from "./npm.test-support.ts";
import { askForToken, succeed, withPacked } from "./project.test-support.ts";

// What an installation does besides is in packed.test.ts, which the full suite runs: here the packages of the project are those of a registry.
test("the files of the packed package are all that it needs to serve, and its command runs an action there", async () => {
	const parent = await mkdtemp(join(tmpdir(), "svc-extracted-"));
	try {
		const directory = join(parent, "project");
		const target = join(directory, "node_modules/svc-automation");
		await mkdir(join(directory, "node_modules/.bin"), { recursive: true });
		await mkdir(target);
		await extract({ file: await pack(parent), cwd: target, strip: 1 });
		// Node looks for packages in the folders above, too.
		await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(parent, "node_modules"));
		// As npm does for each command that it links.
		await chmod(join(target, "dist/plugins/_shipped/main.js"), 0o755);
		await symlink("../svc-automation/dist/plugins/_shipped/main.js", join(directory, "node_modules/.bin/svc"));
		const command = ["node", join(target, "dist/plugins/_shipped/main.js")] as const;
		const options = { directory, command, config: join(target, "svc.config.ts"), data: "data", env: process.env };
		await withPacked(options, async ({ env }) => {
			const token = await askForToken(["admin", "-p", "packed"], { cwd: directory, env });
			const signedIn = { ...env, SVC_AUTH_TOKEN: token };
			const output = await succeed("node_modules/.bin/svc", ["run", "core.local", "cmd=echo packed"], { cwd: directory, env: signedIn });
			assert.match(output, /^packed$/m);
		});
	} finally {
		await rm(parent, { recursive: true, force: true });
	}
});

test.run();

// test-suite: full
import * as assert from "node:assert/strict";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "uvu";
import { CapturedText } from "../../../core/testing/cli/captured-text.test-support.ts";
import { withGuardedService } from "../../../core/testing/http/guarded-service.test-support.ts";
import { manifest, withPackOnDisk } from "../../../core/testing/packs/pack-on-disk.test-support.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { runSvc } from "../../_shipped/run-svc.ts";
import { checkPacks } from "../check-packs.ts";
import { testPacks } from "../test-packs.ts";
import { DirectoryWatcher } from "./directory-watcher.ts";

const count = "name: count\nrunner_type: local-shell-cmd\n";
const rule =
	"name: feed\ntrigger: { type: core.svc.webhook, parameters: { url: feed } }\ncriteria: { trigger.body: { type: exists, pattern: true } }\naction: { ref: yard.count }\n";
const cases = "- { name: nothing, payload: {}, expect: { matches: false } }\n- { name: all, payload: { body: 1 } }\n";

/** With `svc pack watch` at work; `said` gives what it has printed since the last call, up to a text. */
async function watching(
	words: readonly string[],
	use: (said: (end: string) => Promise<string>) => Promise<void>,
	env: Readonly<Record<string, string>> = {},
): Promise<void> {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const listeners = new Set<() => void>();
	const onInterrupt = (listener: () => void) => {
		listeners.add(listener);
		return () => void listeners.delete(listener);
	};
	const packs = { check: checkPacks, test: testPacks };
	const ended = runSvc(["pack", "watch", ...words], { stdout, stderr, env: { HOME: "/nonexistent", ...env }, packs, onInterrupt });
	let read = 0;
	try {
		await use(async (end) => {
			await stdout.holds(end, read);
			const text = stdout.text.slice(read, stdout.text.indexOf(end, read) + end.length);
			read += text.length;
			return text;
		});
	} finally {
		for (const listener of listeners) listener();
		assert.deepEqual([await ended, stderr.text], [0, ""]);
	}
}

test("it checks and tests again after each change, says what is different, and ends with Ctrl-C", () =>
	withPackOnDisk({ "actions/count.yaml": count, "rules/feed.yaml": rule, "tests/rules/feed.yaml": cases }, async (pack) => {
		const place = relative(process.cwd(), pack.directory);
		await watching([pack.directory], async (said) => {
			assert.equal(
				await said("passed\n"),
				"ok   tests/rules/feed.yaml: nothing\nok   tests/rules/feed.yaml: all\nyard: 0 errors, 0 notes; 2 of 2 tests passed\n",
			);
			await pack.write("rules/feed.yaml", `${rule.replace("type: exists", "type: nexists")}colour: red\n`);
			const broken = await said("passed\n");
			assert.match(
				broken,
				new RegExp(`^\\nchanged: ${place}/rules/feed.yaml\\n${place}/rules/feed.yaml:5: error: unknown attribute "colour"`),
			);
			assert.match(broken, /FAIL tests\/rules\/feed.yaml: nothing\n[^]*yard: 1 error, 0 notes; 0 of 2 tests passed\n$/);
			await pack.write("rules/feed.yaml", rule);
			const mended = await said("passed\n");
			assert.match(mended, /\ngone: .*feed.yaml:5: error: unknown attribute "colour" \(colour\)\nok {3}tests\/rules\/feed.yaml: nothing\n/);
			await rm(join(pack.directory, "pack.yaml"));
			assert.match(await said("pack.yaml\nnot looked at:"), /changed: .*pack.yaml/);
		});
	}));

test("a service reads a pack again that has no errors, and says why it does not", () =>
	withGuardedService(
		async ({ urls, packs, ask, signIn }) => {
			const root = await signIn("root");
			const file = join(packs, "yard/actions/count.yaml");
			const describe = async () => (await ask(root, "GET", "/v1/actions/yard.count")).body["description"];
			const env = { SVC_API_URL: urls.api, SVC_AUTH_TOKEN: root };
			await watching(
				[join(packs, "yard"), "--register"],
				async (said) => {
					await said("\nyard: reloaded: ");
					assert.match(await said("\n"), /\b1 actions\b/);
					await writeFile(file, `${count}description: Counts sheep.\n`);
					await said("\nyard: reloaded: ");
					assert.equal(await describe(), "Counts sheep.");
					await writeFile(file, `${count}description: Counts cows.\ncolour: red\n`);
					await said("yard: not reloaded, because it has errors\n");
					assert.equal(await describe(), "Counts sheep.");
				},
				env,
			);
			const nobody = { SVC_API_URL: urls.api, SVC_AUTH_TOKEN: await signIn("ann") };
			await writeFile(file, count);
			await watching([join(packs, "yard"), "--register"], async (said) => void (await said("yard: not reloaded: ")), nobody);
		},
		{ packs: { "yard/pack.yaml": manifest, "yard/actions/count.yaml": count }, runners: [localCommand()] },
	));

test("every change is told of, and what editors leave beside files is none", () =>
	withPackOnDisk({ "actions/count.yaml": count }, async (pack) => {
		const { signal } = new AbortController();
		const looks = new DirectoryWatcher([pack.directory], 20);
		await looks.start();
		await pack.write("actions/.count.yaml.swp", "");
		await pack.write("actions/count.yaml~", "");
		await mkdir(join(pack.directory, "node_modules/x"), { recursive: true });
		await pack.write("node_modules/x/y.js", "");
		await pack.write("rules/new/feed.yaml", "");
		await rename(join(pack.directory, "README.md"), join(pack.directory, "LICENSE"));
		assert.deepEqual(
			await looks.next(signal),
			["LICENSE", "README.md", "rules/new/feed.yaml"].map((path) => join(pack.directory, path)),
		);
	}));

test("waiting ends when nobody waits any more", () =>
	withPackOnDisk({}, async ({ directory }) => {
		const controller = new AbortController();
		const looks = new DirectoryWatcher([directory], 10_000);
		await looks.start();
		const next = looks.next(controller.signal);
		controller.abort();
		await assert.rejects(next, { name: "AbortError" });
	}));

test.run();

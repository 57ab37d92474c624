// It waits until the SQLite driver closes a database. What earlier test files have left in the process delays that.
// test-process: own
import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "uvu";
import { runSvc } from "../../../plugins/_shipped/run-svc.ts";
import type { Difference } from "../../cli/compare-plan.ts";
import { CapturedText } from "../../testing/cli/captured-text.test-support.ts";
import { greetRule, type PlanPlace, usual, withPlan } from "../../testing/plan/plan.test-support.ts";
import { findFreePort } from "../../testing/services/free-port.test-support.ts";
import { findMissingPackages, makePlan, optionalPackages } from "./make-plan.ts";

/** An address where nobody listens. */
const nowhere = "http://127.0.0.1:1";

async function svc({ config, directory }: PlanPlace, ...words: readonly string[]) {
	const stdout = new CapturedText();
	const stderr = new CapturedText();
	const env = { HOME: directory };
	const exitCode = await runSvc(["plan", "--config", config, ...words], {
		stdout,
		stderr,
		stdin: Readable.from([""]),
		env,
		onInterrupt: () => () => {},
		plan: (options) => makePlan({ ...options, env }),
	});
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

const open = usual.replace("auth: {", "auth: { enable: false,");

test("a plan for people is grouped, and says that nothing was compared", () =>
	withPlan(async (place) => {
		const { exitCode, stdout } = await svc(place, "--api-url", nowhere);
		assert.equal(exitCode, 0);
		for (const title of ["Plugins", "Listeners", "Storage", "Content", "Files"]) assert.match(stdout, new RegExp(`^${title}$`, "m"));
		assert.match(stdout, /^ {4}new hello\.greet$/m);
		assert.match(stdout, /^ {4}POST \/v1\/webhooks\/greet \(new\)/m);
		assert.match(stdout, /\nStorage\n {2}\/.*svc\.db: a new database will be created\n/);
		assert.doesNotMatch(stdout, /^ {2}change /m);
		assert.equal(existsSync(join(place.directory, "data")), false);
		assert.match(stdout, /Running service\n {2}not compared: cannot reach the service/);
		assert.match(stdout, /\nThe service would start\.\n$/);
	}));

test("a plan that cannot be carried out ends with 1, and wrong words with 2", () =>
	withPlan(async (place) => {
		await place.configure(usual.replace("runners: [noop()]", "runners: noop"));
		const { exitCode, stdout } = await svc(place, "--api-url", nowhere);
		assert.equal(exitCode, 1);
		assert.match(stdout, /^Problems\n {2}runners: expected an array of runner plugins, got a function.*\n {4}hint: runners: \[/);
		assert.match(stdout, /\nThe service would not start\.\n$/);
		assert.equal((await svc(place, "--jsn")).exitCode, 2);
		assert.equal((await svc({ ...place, config: "no-such.config.ts" })).exitCode, 1);
		assert.match((await svc(place, "--only", "wroker")).stdout, /only: unknown value "wroker"; did you mean "worker"/);
	}));

test("beside a running service that holds database and port, a plan says that it has to stop first, and without a credential why nothing is compared", () =>
	withPlan(async (place) => {
		const port = await findFreePort();
		await place.configure(usual.replace("api: { port: 0 }", `api: { port: ${port} }`));
		await place.serve(async (_service, { addresses }) => {
			const { running, would_start, listeners } = JSON.parse((await svc(place, "-j", "--api-url", addresses.api ?? "")).stdout);
			assert.deepEqual([running.compared, would_start], [false, true]);
			assert.match(running.reason, /sign in with `svc login <user>`/);
			assert.equal(listeners.find(({ name }: { readonly name: string }) => name === "api")?.state, "svc");
			const { exitCode, stdout } = await svc(place, "--api-url", nowhere);
			assert.equal(exitCode, 0);
			assert.match(stdout, /\nThe service would start after the running service has stopped\.\n$/);
			assert.match(stdout, new RegExp(`api\\.port: a running svc listens on 127\\.0\\.0\\.1 port ${port}\n {4}hint: stop it first`));
			assert.match(stdout, /storage: it is in use by node/);
		});
		assert.match((await svc(place, "--api-url", nowhere)).stdout, /\nThe service would start\.\n$/);
	}));

test("as JSON the plan is whole, with what differs from the running service", () =>
	withPlan(async (place) => {
		await place.configure(open);
		await place.serve(async (_service, { addresses }) => {
			const compare = async (): Promise<readonly Difference[]> => {
				const { exitCode, stdout } = await svc(place, "--json", "--api-url", addresses.api ?? "");
				assert.equal(exitCode, 0);
				const { running, would_start, content } = JSON.parse(stdout);
				assert.deepEqual([would_start, running.compared, content.rules.length > 0], [true, true, true], stdout);
				return running.differences;
			};
			assert.deepEqual(await compare(), []);
			await place.write("packs/hello/rules/greet.yaml", greetRule.replace("ref: hello.greet", "ref: core.noop"));
			await place.write("packs/hello/rules/more.yaml", greetRule.replace("name: greet", "name: more").replace("url: greet", "url: more"));
			await place.configure(open.replace("[noop()]", '[noop(), { ...noop(), name: "other" }]'));
			assert.deepEqual(await compare(), [
				{ what: "runner type", name: "other", change: "added" },
				{ what: "rule", name: "hello.more", change: "added" },
				{ what: "rule", name: "hello.greet", change: "changed", detail: "action" },
				{ what: "webhook", name: "/v1/webhooks/more", change: "added" },
			]);
		});
	}));

test("as JSON the plan holds a whole number beyond 2^53 exactly", () =>
	withPlan(async (place) => {
		const criteria = "criteria: { trigger.body.id: { type: equals, pattern: 9007199254740993 } }\n";
		await place.write("packs/hello/rules/greet.yaml", greetRule + criteria);
		const { exitCode, stdout } = await svc(place, "--json", "--api-url", nowhere);
		assert.equal(exitCode, 0);
		assert.match(stdout, /"pattern": 9007199254740993\n/);
	}));

test("packages that plugins need and that are missing are told with what is off", () => {
	const used = [{ kind: "runner", name: "http-request" }];
	assert.deepEqual(
		findMissingPackages(used, (name) => name !== "undici").map(({ message, hint }) => [message, hint]),
		[['the package "undici" is not installed: HTTP requests fail', "npm install undici"]],
	);
	assert.deepEqual(
		findMissingPackages([], () => false),
		[],
	);
	const { optionalDependencies } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
	assert.deepEqual(optionalPackages.map(({ name }) => name).sort(), Object.keys(optionalDependencies).sort());
});

test.run();

// test-timeout: 300
// test-suite: full
// test-waits
import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { test } from "uvu";
import {
	endLeftovers,
	type ServiceFiles,
	type ServiceProcess,
	startServiceProcess,
} from "../../core/testing/guarantees/service-process.test-support.ts";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { type CuttingProxy, startCuttingProxy } from "../../core/testing/web/cutting-proxy.test-support.ts";
import { openWithToken } from "../../core/testing/web/process-page.test-support.ts";
import { assertClean, closeBrowser, signInAs, webTest, withWeb } from "../../core/testing/web/web.test-support.ts";

test.after(closeBrowser);

/** Skipped where the browser or PostgreSQL is missing. */
const nodesTest = postgresTest(Object.assign(webTest.bind(undefined), { skip: test.skip }));

/** With a directory, and `start` for services in processes of their own, each with a folder of it, which are gone afterwards. */
async function withProcesses(
	body: (parts: {
		readonly directory: string;
		readonly start: (files?: Partial<ServiceFiles>) => Promise<ServiceProcess>;
	}) => Promise<void>,
): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-web-faults-"));
	const services: ServiceProcess[] = [];
	const used = new Set([directory]);
	try {
		await body({
			directory,
			async start(files = {}) {
				const service = await startServiceProcess({ directory, ...files });
				services.push(service);
				used.add(files.directory ?? directory);
				return service;
			},
		});
	} finally {
		for (const service of services) await service.kill();
		for (const each of used) endLeftovers(each);
		await rm(directory, { recursive: true, force: true });
	}
}

/** Begin a command that prints a line fifty times a second, with the folder of its node, until there is a file `stop`; its id. */
async function tick({ client }: ServiceProcess, directory: string): Promise<string> {
	const cmd = `i=0; while [ ! -e ${directory}/stop ]; do i=$((i+1)); echo "$TMPDIR tick $i"; sleep 0.02; done`;
	return (await client.executions.create({ action: "core.local", parameters: { cmd } })).id;
}

/** All that the service has of the log stands in the page. */
async function assertWholeLog(page: Page, { client }: ServiceProcess, id: string): Promise<void> {
	const lines = (await client.executions.output(id)).trimEnd().split("\n");
	assert.ok(lines.every((line, index) => line.endsWith(`tick ${index + 1}`)));
	await page.getByText(`${lines.length.toLocaleString("en")} lines`, { exact: true }).waitFor();
	for (let line = 1; line <= lines.length; line += 25) {
		await page.locator(".log").evaluate((element, top) => element.scrollTo(0, top), (line - 1) * 18);
		await page
			.locator(".log-line", { hasText: lines[line - 1] ?? "" })
			.filter({ hasText: new RegExp(`tick ${line}$`) })
			.waitFor();
	}
}

webTest("a service that is killed and started again under open pages: they say so, go on by themselves, and miss nothing", () =>
	withProcesses(async ({ directory, start }) => {
		const first = await start({ survive: true });
		const proxy = await startCuttingProxy(first.api);
		try {
			const id = await tick(first, directory);
			const runs = await openWithToken(proxy.url, "/history", first.token);
			const log = await openWithToken(proxy.url, `/history/${id}/log`, first.token);
			await runs.getByRole("cell", { name: "running" }).waitFor();
			await log.locator(".log-line", { hasText: "tick 20" }).first().waitFor();
			await first.kill();
			for (const page of [runs, log]) await page.getByText("connection lost, trying again").waitFor();
			await log.getByText(/^cannot reach the service at .*; trying again$/).waitFor();
			const second = await start({ survive: true, token: first.token });
			proxy.aim(second.api);
			await second.client.executions.create({ action: "core.noop", parameters: {} });
			for (const page of [runs, log]) await page.locator(".live", { hasText: "live" }).waitFor({ timeout: 30_000 });
			await runs.getByRole("row", { name: /core\.noop/ }).waitFor();
			await writeFile(join(directory, "stop"), "");
			await log.locator(".facts").getByText("succeeded").waitFor();
			await runs.getByRole("row").filter({ hasText: "core.local" }).getByText("succeeded").waitFor();
			await assertWholeLog(log, second, id);
			await assertClean(runs);
		} finally {
			await proxy.close();
		}
	}),
);

/** Run something, and cut all connections before its end is known. */
async function runAndCut({ client }: ServiceProcess, proxy: CuttingProxy): Promise<void> {
	const { id } = await client.executions.create({ action: "core.local", parameters: { cmd: "echo hi" } });
	proxy.cut();
	for await (const _ of client.followOutput(id));
}

webTest("a proxy that cuts connections while runs happen: the list has all of them as they have ended", () =>
	withProcesses(async ({ start }) => {
		const service = await start();
		const proxy = await startCuttingProxy(service.api);
		try {
			const page = await openWithToken(proxy.url, "/history", service.token);
			await page.getByText("Nothing has run yet").waitFor();
			for (let run = 1; run <= 12; run += 1) {
				await runAndCut(service, proxy);
				await page
					.locator("tbody tr")
					.nth(run - 1)
					.waitFor({ timeout: 30_000 });
			}
			await page.locator("tbody .badge.good").nth(11).waitFor();
			assert.equal(await page.locator("tbody tr").count(), 12);
		} finally {
			await proxy.close();
		}
	}),
);

webTest("a session that ends under an open log: signing in leads back to it", () =>
	withWeb(async ({ open, run, signIn, urls }) => {
		const id = await run(await signIn("root"));
		const page = await open("root", `/history/${id}/log?line=1`);
		await page.locator(".log-line.marked", { hasText: "a word aloud" }).waitFor();
		const [cookie] = await page.context().cookies();
		const ended = await fetch(`${urls.api}/auth/v1/tokens/current`, { method: "DELETE", headers: { "x-auth-token": cookie?.value ?? "" } });
		assert.equal(ended.ok, true);
		await page.getByRole("alert").getByText("Your session has ended").waitFor({ timeout: 30_000 });
		await signInAs(page, "root");
		await page.locator(".log-line.marked", { hasText: "a word aloud" }).waitFor();
	}),
);

nodesTest("two nodes: a page of one shows what runs on the other, and what is left of it when that one is killed", () =>
	withProcesses(async ({ directory, start }) => {
		const database = await createTestDatabase();
		try {
			const [here, there] = [await mkdtemp(join(directory, "here-")), await mkdtemp(join(directory, "there-"))];
			const near = await start({ directory: here, postgres: database.url });
			const far = await start({ directory: there, postgres: database.url, token: near.token });
			const page = await openWithToken(near.api, "/history", near.token);
			await page.locator(".live", { hasText: "live" }).waitFor();
			const id = await tick(far, directory);
			await page.getByRole("cell", { name: "running" }).waitFor();
			await page.getByRole("link", { name: "core.local" }).first().click();
			await page.getByRole("link", { name: "Log", exact: true }).click();
			await page
				.locator(".log-line", { hasText: `${there} tick 50` })
				.first()
				.waitFor();
			await far.kill();
			await page
				.locator(".facts")
				.getByText(/abandoned|failed/)
				.waitFor({ timeout: 60_000 });
			await assertWholeLog(page, near, id);
			await assertClean(page);
		} finally {
			await database.drop();
		}
	}),
);

test.run();

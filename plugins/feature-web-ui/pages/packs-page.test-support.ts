import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, goTo, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { SourceBench } from "../../feature-pack-installer/sources/pack-fetcher.test-support.ts";

const seenText = hostileText.replace("\u0000", "");

const schema = `
limit: { type: integer, default: 90, description: "Percent of the volume." }
place: { type: string, required: true }
token: { type: string, secret: true }
loud: { type: boolean, default: false }
`;

/** A repository of the pack `disk`, in which versions can be committed; removed at the end. */
async function withRepository(
	use: (address: string, commit: (version: string, more?: Readonly<Record<string, string>>) => void) => Promise<void>,
): Promise<void> {
	const bench = new SourceBench();
	const files = (version: string) => ({
		"pack.yaml": `ref: disk\nname: disk\ndescription: Looks after disks.\nversion: ${version}\nauthor: Ann\nkeywords: [storage]\n`,
		"README.md": `# Disk ${version}\n${seenText}\n`,
		"config.schema.yaml": schema,
		"actions/tell.yaml": "name: tell\nrunner_type: speak\n",
		"rules/posted.yaml": "name: posted\ntrigger: { type: core.svc.webhook, parameters: { url: hooks/disk } }\naction: { ref: disk.tell }\n",
	});
	const commit = (version: string, more: Readonly<Record<string, string>> = {}) => {
		for (const [path, text] of Object.entries({ ...files(version), ...more })) bench.write(`disk/${path}`, text);
		bench.commit("disk", version);
	};
	try {
		commit("1.0.0");
		await use(`file://${bench.root}/disk/.git`, commit);
	} finally {
		bench.remove();
	}
}

/** See a job succeed where the page has gone; then go on. */
async function seeJob(page: Page, path: string): Promise<void> {
	await page.waitForURL(/#\/history\/.*\/log/);
	await page.getByText("succeeded").first().waitFor();
	await goTo(page, path);
}

webTest("a pack is installed, looked at, upgraded, rolled back and removed; each is a run whose output is followed", () =>
	withRepository((address, commit) =>
		withWeb(async (web) => {
			const page = await web.open("root", "/packs");
			await page.getByRole("link", { name: "core", exact: true }).waitFor();
			await assertClean(page);
			await page.getByRole("button", { name: "Reload" }).click();
			await page.getByText("The packs are registered").waitFor();
			await page.getByRole("button", { name: "Install …" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByRole("button", { name: "Install" }).click();
			await dialog.getByText("source is required.").waitFor();
			await dialog.getByLabel("source").fill("javascript:alert(1)");
			await dialog.getByRole("button", { name: "Install" }).click();
			await dialog.getByRole("alert").getByText("is invalid").waitFor();
			await assertClean(page);
			await dialog.getByLabel("source").fill(address);
			await dialog.getByRole("button", { name: "Install" }).click();
			await seeJob(page, "/packs");
			await page.getByRole("link", { name: "disk", exact: true }).click();
			await page.getByText("# Disk 1.0.0").waitFor();
			await page.getByText("onerror").waitFor();
			assert.notEqual(await page.title(), "taken");
			await assertClean(page);
			await page.getByRole("link", { name: "Contents" }).click();
			await page.getByRole("link", { name: "disk.posted" }).waitFor();
			await assertClean(page);
			await page.getByRole("link", { name: "Files" }).click();
			await page.getByRole("link", { name: "actions/tell.yaml" }).click();
			await page.getByText("runner_type: speak").waitFor();
			assert.match(page.url(), /#\/packs\/disk\?view=files&file=actions%2Ftell\.yaml$/);
			await assertClean(page);
			await page.goBack();
			await page.getByText("Choose a file.").waitFor();

			commit("1.1.0");
			await goTo(page, "/packs?view=newer");
			await page.getByRole("button", { name: "Upgrade disk" }).click();
			await assertClean(page);
			await dialog.getByRole("button", { name: "Upgrade", exact: true }).click();
			await seeJob(page, "/packs/disk");
			await page.getByText("# Disk 1.1.0").waitFor();
			await page.getByRole("button", { name: "Roll back …" }).click();
			await dialog.getByRole("button", { name: "Roll back", exact: true }).click();
			await seeJob(page, "/packs/disk");
			await page.getByText("# Disk 1.0.0").waitFor();
			await page.getByRole("button", { name: "Uninstall …" }).click();
			await dialog.getByRole("button", { name: "Uninstall", exact: true }).click();
			await seeJob(page, "/packs");
			await page.getByRole("link", { name: "core", exact: true }).waitFor();
			assert.equal(await page.getByRole("link", { name: "disk", exact: true }).count(), 0);
			await page.getByRole("link", { name: "Followed in git" }).click();
			await page.getByText("No pack is followed in git").waitFor();
			await page.getByRole("link", { name: "Index" }).click();
			await page.getByRole("searchbox", { name: "Search" }).waitFor();
			await assertClean(page);
		}),
	),
);

webTest("a pack that is followed in git says how far the service has come, and why not; it is changed there only", () =>
	withRepository((git, commit) =>
		withWeb(
			async (web) => {
				const page = await web.open("root", "/packs?view=followed");
				await page.getByText("installed", { exact: true }).waitFor();
				await assertClean(page);
				commit("1.1.0", { "rules/broken.yaml": "name: broken\n" });
				await page.getByRole("button", { name: /^Check now/ }).click();
				await seeJob(page, "/packs");
				await page.getByRole("cell", { name: /^failed .*broken/ }).waitFor();
				await assertClean(page);
				await page.getByRole("link", { name: "disk", exact: true }).click();
				await page.getByText(/rules\/broken\.yaml/).waitFor();
				await page.getByText("# Disk 1.0.0").waitFor();
				assert.equal(await page.getByRole("button", { name: /Upgrade|Roll back|Uninstall/ }).count(), 0);
				await assertClean(page);
				const viewer = await web.open("olga", "/packs?view=followed");
				await viewer.getByText(/rules\/broken\.yaml/).waitFor();
				assert.equal(await viewer.getByRole("button", { name: /Check now/ }).count(), 0);
				await assertClean(viewer);
			},
			{ followed: [{ git, interval: 3_600 }] },
		),
	),
);

webTest("packs of the index are found by words and installed; an index that cannot be read says so", () =>
	withRepository(async (address) => {
		const home = mkdtempSync(join(tmpdir(), "svc-web-index-"));
		const entry = { name: "disk", version: "1.0.0", description: seenText, author: "Ann", repo_url: address };
		writeFileSync(join(home, "index.json"), JSON.stringify({ packs: { disk: entry, tape: { ...entry, name: "tape" } } }));
		await withWeb(
			async (web) => {
				const page = await web.open("root", "/packs?view=index");
				await page.getByRole("cell", { name: "tape", exact: true }).waitFor();
				await page.getByText(/nothing\.json/).waitFor();
				assert.notEqual(await page.title(), "taken");
				await assertClean(page);
				await page.getByLabel("Search").fill("disk");
				await page.getByLabel("Search").press("Enter");
				await page.getByRole("cell", { name: "tape", exact: true }).waitFor({ state: "detached" });
				assert.match(page.url(), /#\/packs\?view=index&q=disk$/);
				await page.getByRole("button", { name: "Install disk" }).click();
				const dialog = page.getByRole("dialog");
				assert.equal(await dialog.getByLabel("source").inputValue(), "disk");
				await dialog.getByRole("button", { name: "Install", exact: true }).click();
				await seeJob(page, "/packs/disk");
				await page.getByText("# Disk 1.0.0").waitFor();
				const viewer = await web.open("olga", "/packs?view=index");
				await viewer.getByRole("cell", { name: "tape", exact: true }).waitFor();
				assert.equal(await viewer.getByRole("button", { name: /^Install/ }).count(), 0);
			},
			{ content: { index_url: [join(home, "index.json"), join(home, "nothing.json")] } },
		);
		rmSync(home, { recursive: true, force: true });
	}),
);

const packs = {
	"disk/pack.yaml": "ref: disk\nname: disk\ndescription: Looks after disks.\nversion: 1.0.0\nauthor: Ann\n",
	"disk/config.schema.yaml": schema,
	"disk/actions/tell.yaml": "name: tell\nrunner_type: speak\n",
};

webTest("a pack is set up by a form; what is not written stays, what is emptied goes, and a secret is never shown", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const values = async () => (await web.ask(root, "GET", "/v1/configs/disk?show_secrets=true")).body["values"];
			const page = await web.open("root", "/packs/disk?view=configuration");
			await page.getByLabel("limit").fill("many");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("limit must be a number.").waitFor();
			await assertClean(page);
			await page.getByLabel("limit").fill("80");
			await page.getByLabel("place").fill(seenText);
			await page.getByLabel("token").fill("a secret token");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The configuration is saved").waitFor();
			assert.deepEqual(await values(), { limit: 80, place: seenText, token: "a secret token" });
			await page.getByText("Not shown. Leave the field empty to keep the current value.").waitFor();
			assert.equal(await page.getByLabel("token").inputValue(), "");
			assert.equal(await page.getByLabel("loud").locator("option").first().textContent(), "the default");
			await page.getByLabel("limit").fill("");
			await page.getByLabel("place").fill("here");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The configuration is saved").nth(1).waitFor();
			assert.deepEqual(await values(), { place: "here", token: "a secret token" });
			await page.getByLabel("place").fill("");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("place is required.").waitFor();
			assert.equal((await page.content()).includes("a secret token"), false);
			const viewer = await web.open("olga", "/packs/disk?view=configuration");
			await viewer.getByText("********").waitFor();
			assert.equal(await viewer.getByRole("button", { name: "Save" }).count(), 0);
			assert.equal((await viewer.content()).includes("a secret token"), false);
			await assertClean(viewer);
		},
		{ packs },
	),
);

webTest("what somebody may not do with packs is not offered", () =>
	withWeb(
		async (web) => {
			const viewer = await web.open("olga", "/packs");
			await viewer.getByRole("link", { name: "disk", exact: true }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /Install|Reload/ }).count(), 0);
			await viewer.getByRole("link", { name: "disk", exact: true }).click();
			await viewer.getByText("This pack has no README.").waitFor();
			assert.equal(await viewer.getByRole("button", { name: /Upgrade|Roll back|Uninstall/ }).count(), 0);
			const somebody = await web.open("ann", "/packs");
			await somebody.getByRole("link", { name: "disk", exact: true }).waitFor();
			const links = await somebody.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link").allTextContents();
			assert.equal(links.includes("Packs"), true);
			assert.deepEqual(
				["Runs", "Actions", "Rules", "Events"].filter((name) => links.includes(name)),
				[],
			);
			await somebody.getByRole("link", { name: "disk", exact: true }).click();
			await somebody.getByText(/permission "pack_view"/).waitFor();
			await assertClean(somebody);
		},
		{ packs, grants: [{ permission_types: ["pack_list"] }] },
	),
);

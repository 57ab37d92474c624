import * as assert from "node:assert/strict";
import { assertClean, goTo, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

/** Somebody's words, which are shown as text; files of packs may hold none that nobody sees. */
const hostile = `<img src=x onerror="document.title='taken'">`;
const packs = {
	"disk/pack.yaml": "ref: disk\nname: disk\ndescription: Looks after disks.\nversion: 1.0.0\nauthor: Ann\n",
	"disk/actions/tell.yaml": "name: tell\nrunner_type: speak\n",
	"disk/aliases/tell.yaml": JSON.stringify({
		name: "tell",
		description: hostile,
		action_ref: "disk.tell",
		formats: ["tell me of {{ disk }}", { display: `say ${hostile}`, representation: ["say {{ word }}"] }],
		ack: { format: "asked for" },
	}),
	"disk/triggers/full.yaml": JSON.stringify({
		name: "full",
		description: hostile,
		parameters_schema: { type: "object", properties: { limit: { type: "integer" } } },
		payload_schema: { type: "object", properties: { volume: { type: "string" } } },
	}),
	"disk/rules/watch.yaml": "name: watch\ntrigger: { type: disk.full, parameters: { limit: 90 } }\naction: { ref: disk.tell }\n",
};

webTest("a trigger type says what it takes and tells, which rules have it and which sensors make its events", () =>
	withWeb(
		async (web) => {
			const page = await web.open("root", "/events/triggers");
			await page.getByRole("link", { name: "default.seen" }).waitFor();
			await assertClean(page);
			await page.getByLabel("Pack").fill("disk");
			await page.getByLabel("Pack").press("Enter");
			await page.getByRole("link", { name: "default.seen" }).waitFor({ state: "detached" });
			assert.match(page.url(), /#\/events\/triggers\?pack=disk$/);
			await page.getByRole("link", { name: "disk.full" }).click();
			await page.getByRole("heading", { name: "disk.full" }).waitFor();
			for (const said of ["limit", "volume", "onerror"]) await page.getByText(said).first().waitFor();
			assert.notEqual(await page.title(), "taken");
			await assertClean(page);
			await page.getByRole("link", { name: "disk.watch" }).click();
			await page.getByRole("heading", { name: "disk.watch" }).waitFor();
			await page.getByRole("link", { name: "disk.full" }).click();
			await page.getByRole("link", { name: "disk.watch" }).waitFor();
			await page.getByRole("link", { name: "Rules with this trigger type: all of them" }).click();
			await page.getByRole("link", { name: "disk.watch" }).waitFor();
			assert.match(page.url(), /#\/rules\?trigger=disk\.full$/);
			await goTo(page, "/events/triggers/default.seen");
			await page.getByRole("link", { name: "default.watcher" }).waitFor();
			const restricted = await web.open("ann", "/events");
			await restricted.getByRole("link", { name: "disk.full" }).click();
			await restricted.getByRole("heading", { name: "disk.full" }).waitFor();
			await restricted.getByText("limit").first().waitFor();
			assert.equal(await restricted.getByText("Rules with this trigger type").count(), 0);
			await assertClean(restricted);
		},
		{
			packs,
			grants: [{ permission_types: ["trigger_type_list"] }, { resource_uid: "pack:disk", permission_types: ["trigger_type_view"] }],
		},
	),
);

webTest("an alias says what is written and what that runs; it is found by its name", () =>
	withWeb(
		async (web) => {
			const page = await web.open("olga", "/aliases");
			await page.getByText("tell me of {{ disk }}").waitFor();
			await assertClean(page);
			await page.keyboard.press("Control+k");
			await page.getByRole("dialog").getByRole("combobox").fill("alias disk");
			await page.getByRole("option", { name: /disk\.tell/ }).waitFor();
			await page.keyboard.press("Enter");
			await page.getByText("say {{ word }}").waitFor();
			await page.getByText("asked for", { exact: true }).waitFor();
			assert.match(page.url(), /#\/aliases\/disk\.tell$/);
			assert.notEqual(await page.title(), "taken");
			await assertClean(page);
			await page.getByRole("link", { name: "disk.tell" }).click();
			await page.getByRole("heading", { name: "disk.tell" }).waitFor();
		},
		{ packs },
	),
);

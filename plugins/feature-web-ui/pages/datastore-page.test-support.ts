import * as assert from "node:assert/strict";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, goTo, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const seenText = hostileText.replace("\u0000", "");
/** Characters that nobody sees are refused in names. */
const hostileName = seenText.replace("\u202e", "");
const clearText = "a secret value";

webTest("an item is kept, changed and deleted; a secret is in the page only while somebody has asked to see it", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const read = async (path: string) => (await web.ask(root, "GET", `/v1/keys/${path}`)).body;
		const page = await web.open("root", "/datastore");
		const dialog = page.getByRole("dialog");
		await page.getByText("There are no items in this scope").waitFor();
		await page.locator(".empty code", { hasText: "svc key set NAME VALUE" }).waitFor();
		await page.getByRole("button", { name: "Create …" }).click();
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("value is required.").waitFor();
		await dialog.getByLabel("name").fill("limits/disk");
		await dialog.getByLabel("value").fill(seenText);
		await dialog.getByLabel("description").fill("Percent.");
		await dialog.getByLabel("ttl").fill("3600");
		await assertClean(page);
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByText("onerror").first().waitFor();
		await page.getByText(/^in (59 min|1 h)/).waitFor();
		assert.match(page.url(), /#\/datastore\/system\/limits%2Fdisk$/);
		assert.notEqual(await page.title(), "taken");
		await assertClean(page);
		await page.getByRole("button", { name: "Change …" }).click();
		assert.equal(await dialog.getByLabel("description").inputValue(), "Percent.");
		await dialog.getByLabel("value").fill(clearText);
		await dialog.getByLabel("ttl").fill("");
		await dialog.getByLabel("secret").selectOption("true");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByText("yes, stored encrypted").waitFor();
		const { secret, description, expire_timestamp } = await read("limits%2Fdisk");
		assert.deepEqual([secret, description, expire_timestamp], [true, "Percent.", undefined]);
		assert.equal((await page.content()).includes(clearText), false);
		await page.getByRole("button", { name: "Show" }).click();
		await page.getByText(clearText).waitFor();
		await assertClean(page);
		await page.getByRole("button", { name: "Hide" }).click();
		await page.getByRole("button", { name: "Show" }).waitFor();
		assert.equal((await page.content()).includes(clearText), false);
		await page.getByRole("button", { name: "Show" }).click();
		await page.getByText(clearText).waitFor();
		await goTo(page, "/datastore");
		await page.getByRole("cell", { name: "secret" }).waitFor();
		await page.goBack();
		await page.getByRole("button", { name: "Show" }).waitFor();
		assert.equal((await page.content()).includes(clearText), false);
		await page.getByRole("button", { name: "Change …" }).click();
		await dialog.getByLabel("description").fill("Changed.");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("value is required.").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Delete …" }).click();
		await dialog.getByRole("button", { name: "Delete" }).click();
		await page.getByText("There are no items in this scope").waitFor();
		assert.equal((await read("limits%2Fdisk"))["faultstring"] !== undefined, true);
	}),
);

webTest("items are found by how their names begin; everybody has their own, and those of the system are changed by who may", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const ann = await web.signIn("ann");
			for (const name of ["disk.one", "disk.two", "tape", hostileName])
				await web.ask(root, "PUT", `/v1/keys/${encodeURIComponent(name)}`, { value: clearText, secret: name === "tape" });
			await web.ask(ann, "PUT", "/v1/keys/mine", { value: clearText, scope: "user", secret: true });
			const viewer = await web.open("olga", "/datastore?prefix=disk.");
			await viewer.getByRole("link", { name: "disk.two" }).waitFor();
			assert.equal(await viewer.getByRole("link", { name: "tape" }).count(), 0);
			assert.equal(await viewer.getByRole("button", { name: "Create …" }).count(), 0);
			await goTo(viewer, "/datastore/system/tape");
			await viewer.getByText("********").waitFor();
			assert.equal(await viewer.getByRole("button", { name: /Show|Change|Delete/ }).count(), 0);
			assert.equal((await viewer.content()).includes(clearText), false);
			await assertClean(viewer);
			const somebody = await web.open("ann", "/datastore");
			await somebody.getByRole("link", { name: "mine" }).click();
			assert.equal(await somebody.getByRole("link", { name: "System" }).count(), 0);
			await somebody.getByRole("button", { name: "Show" }).click();
			await somebody.getByText(clearText).waitFor();
			await goTo(somebody, "/datastore/system/disk.one");
			await somebody.getByRole("button", { name: "Change …" }).waitFor();
			assert.equal(await somebody.getByRole("button", { name: "Delete …" }).count(), 0);
			await goTo(somebody, "/datastore/system/tape");
			await somebody.getByText(/permission "key_value_pair_view"/).waitFor();
			await assertClean(somebody);
			const page = await web.open("root", "/datastore");
			await page.getByRole("link", { name: /onerror/ }).click();
			await page.getByRole("heading", { name: /onerror/ }).waitFor();
			await page.getByText(clearText).waitFor();
			assert.notEqual(await page.title(), "taken");
			await assertClean(page);
			await goTo(page, "/datastore/user");
			await page.getByText("There are no items in this scope").waitFor();
			await page.getByLabel("Owner").fill("ann");
			await page.getByLabel("Owner").press("Enter");
			await page.getByRole("link", { name: "mine" }).click();
			assert.match(page.url(), /#\/datastore\/user\/mine\?user=ann$/);
			await page.getByText("********").waitFor();
		},
		{ grants: [{ resource_uid: "key_value_pair:svckv.system:disk.one", permission_types: ["key_value_pair_set"] }] },
	),
);

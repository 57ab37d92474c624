import * as assert from "node:assert/strict";
import { chatty, hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const greet = `
name: greet
runner_type: chatty
description: Greets somebody.
parameters:
  who: { type: string, required: true, description: "Whom to greet.", position: 0 }
  often: { type: integer, default: 2, minimum: 1 }
  tone: { type: string, enum: [kind, rude], default: kind }
  loud: { type: boolean }
  pin: { type: string, secret: true }
  words: { type: array }
  place: { type: string, immutable: true, default: here }
  text: { type: string, immutable: true, default: "hello {{ who }} {{ often }} {{ tone }} {{ loud }} {{ words }}" }
`;
const options = {
	runners: [chatty()],
	packs: {
		"greeting/pack.yaml": "name: greeting\ndescription: Greetings.\nversion: 1.0.0\nauthor: us\n",
		"greeting/actions/greet.yaml": greet,
	},
};

webTest("an action is found, asked for what it takes, and run; what is wrong is said beside its name", () =>
	withWeb(async (web) => {
		const page = await web.open("root", "/actions");
		await page.getByRole("link", { name: "greeting.greet" }).waitFor();
		await assertClean(page);
		await page.getByLabel("Search").fill("greets SOMEBODY");
		await page.getByLabel("Search").press("Enter");
		await page.getByRole("link", { name: "default.speak" }).waitFor({ state: "detached" });
		// While it asks again it may show none.
		await page.getByRole("link", { name: "greeting.greet" }).waitFor();
		assert.equal(await page.locator("tbody tr").count(), 1);
		assert.match(page.url(), /#\/actions\?q=greets\+SOMEBODY$/);
		await page.getByLabel("Pack").fill("default");
		await page.getByLabel("Pack").press("Enter");
		await page.getByText("No action matches").waitFor();
		await page.getByLabel("Search").fill("");
		await page.getByLabel("Search").press("Enter");
		await page.getByRole("link", { name: "default.speak" }).waitFor();
		assert.equal(await page.getByRole("link", { name: "greeting.greet" }).count(), 0);
		await page.getByRole("button", { name: "Clear" }).click();
		await page.getByRole("link", { name: "greeting.greet" }).click();
		await page.getByText("This action has not run yet").waitFor();
		await page.getByText("Whom to greet.").waitFor();
		assert.equal(await page.getByLabel("place").count(), 0);
		assert.equal(await page.getByLabel("pin").getAttribute("type"), "password");
		await page.getByLabel("often").fill("many");
		await page.getByLabel("words").fill("[1,");
		await page.getByRole("button", { name: "Run", exact: true }).click();
		for (const said of ["who is required.", "often must be a number.", "words must be JSON"]) await page.getByText(said).waitFor();
		await page.locator("[aria-required=true]:focus").waitFor();
		await assertClean(page);
		await page.getByLabel("who").fill("Ann");
		await page.getByLabel("often").fill("0");
		await page.getByLabel("words").fill('["one"]');
		await page.getByLabel("loud").selectOption("true");
		await page.getByLabel("tone").selectOption("rude");
		await page.getByLabel("pin").fill("a secret pin");
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByRole("alert").getByText("often").waitFor();
		await page.getByLabel("often").fill("3");
		// The keyboard alone.
		await page.getByLabel("who").press("Enter");
		await page.waitForURL(/#\/history\//);
		await page.getByText("hello Ann 3 rude").first().waitFor();
		assert.equal((await page.content()).includes("a secret pin"), false);
		await page.goBack();
		await page.getByRole("table", { name: "Recent executions" }).getByRole("link", { name: "greeting.greet" }).waitFor();
		await assertClean(page);
	}, options),
);

webTest("a run is made again with what was changed in the form; a secret that nobody has written stays what it was", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const id = await web.run(root, "greeting.greet", { who: "Ann", pin: "a secret pin", often: 5 });
		const page = await web.open("root", `/history/${id}/general`);
		await page.getByRole("button", { name: "Run with changes" }).click();
		const dialog = page.getByRole("dialog");
		assert.deepEqual([await dialog.getByLabel("who").inputValue(), await dialog.getByLabel("pin").inputValue()], ["Ann", ""]);
		await assertClean(page);
		await dialog.getByLabel("who").fill("Bob");
		await dialog.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByText("hello Bob 5").first().waitFor();
		const again = page.url().split("/").at(-2);
		const { body } = await web.ask(root, "GET", `/v1/executions/${again}?show_secrets=true`);
		assert.deepEqual(body["parameters"], { who: "Bob", pin: "a secret pin", often: 5 });
	}, options),
);

webTest("code and metadata are shown as text, and nothing is offered that somebody may not do", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			const made = await web.ask(root, "POST", "/v1/actions", { name: "odd", runner_type: "chatty", description: hostileText });
			assert.equal(made.status, 201, JSON.stringify(made.body));
			const page = await web.open("root", "/actions/default.odd");
			await page.getByText("onerror").first().waitFor();
			await page.getByRole("link", { name: "Metadata" }).click();
			await page.getByText("runner_type").waitFor();
			assert.match(page.url(), /#\/actions\/default\.odd\?view=metadata$/);
			await assertClean(page);
			await page.getByRole("link", { name: "Code" }).click();
			await page.getByText("This action has no file of its own").waitFor();
			assert.notEqual(await page.title(), "taken");
			const viewer = await web.open("olga", "/actions/greeting.greet");
			await viewer.getByText("You may view this action, but not run it.").waitFor();
			await assertClean(viewer);
			const somebody = await web.open("ann", "/actions/greeting.greet");
			await somebody.getByRole("button", { name: "Run", exact: true }).waitFor();
			assert.equal(await somebody.getByText("Recent executions").count(), 0);
			assert.equal(await somebody.getByRole("link", { name: "Actions" }).count(), 0);
			await assertClean(somebody);
		},
		{ ...options, grants: [{ resource_uid: "action:greeting:greet", permission_types: ["action_view", "action_execute"] }] },
	),
);

import * as assert from "node:assert/strict";
import { chatty, hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const options = { runners: [chatty()] };

/** A rule that prints what was seen, where it is large; and two events, of which one is. */
async function withRule({ ask, signIn }: WebUnderTest): Promise<string> {
	const root = await signIn("root");
	const send = async (path: string, body: object) => {
		const answer = await ask(root, "POST", `/v1${path}`, body);
		assert.ok(answer.status < 300, JSON.stringify(answer.body));
	};
	await send("/actions", { name: "chatty", runner_type: "chatty" });
	await send("/triggertypes", { name: "sighted", pack: "default" });
	await send("/rules", {
		name: "big",
		description: hostileText.replace("\u0000", ""),
		enabled: true,
		trigger: { type: "default.sighted" },
		criteria: { "trigger.size": { type: "greaterthan", pattern: 5 } },
		action: { ref: "default.chatty", parameters: { text: "seen {{ trigger.what }}" } },
	});
	await send("/webhooks/svc", { trigger: "default.sighted", payload: { what: "an elephant", size: 9 } });
	await send("/webhooks/svc", { trigger: "default.sighted", payload: { what: "a mouse", size: 1 } });
	return root;
}

webTest(
	"a rule says what it does, is tested with what has happened and with what somebody writes, and what it has done leads to the run",
	() =>
		withWeb(async (web) => {
			await withRule(web);
			const page = await web.open("root", "/rules");
			await page.getByRole("link", { name: "default.big" }).waitFor();
			await assertClean(page);
			await page.getByRole("link", { name: "default.big" }).click();
			await page.getByText("greaterthan").waitFor();
			await page.getByText("seen {{ trigger.what }}").waitFor();
			assert.notEqual(await page.title(), "taken");
			await assertClean(page);
			await page.getByRole("link", { name: "History" }).click();
			await page.getByRole("link", { name: "Test with this event" }).click();
			await page.getByText("The rule would act").waitFor();
			await page.getByText("seen an elephant").waitFor();
			assert.match(page.url(), /view=test&event=/);
			await page
				.getByRole("button", { name: /^Test with/ })
				.first()
				.click();
			await page.getByText("The rule would not act").waitFor();
			await page.getByText("but the rule requires").waitFor();
			await assertClean(page);
			await page.getByLabel("payload").fill('{"what": "a whale", "size": 20}');
			await page.getByRole("button", { name: "Test", exact: true }).click();
			await page.getByText("seen a whale").waitFor();
			await page.getByRole("link", { name: "History" }).click();
			await page.getByRole("link", { name: /^Execution / }).click();
			await page.getByText("seen an elephant").first().waitFor();
		}, options),
);

webTest("a rule is switched off and on by who may; the list is narrowed down by it", () =>
	withWeb(
		async (web) => {
			const root = await withRule(web);
			const page = await web.open("ann", "/rules/default.big");
			await page.getByRole("button", { name: "Disable" }).click();
			await page.getByRole("button", { name: "Enable" }).waitFor();
			assert.equal((await web.ask(root, "GET", "/v1/rules/default.big")).body["enabled"], false);
			assert.equal(await page.getByRole("link", { name: "History" }).count(), 0);
			await assertClean(page);
			const viewer = await web.open("olga", "/rules?state=enabled");
			await viewer.getByText("No rule matches").waitFor();
			await viewer.getByLabel("State").selectOption("disabled");
			await viewer.getByRole("link", { name: "default.big" }).click();
			await viewer.getByRole("heading", { name: "default.big" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /able$/ }).count(), 0);
		},
		{
			...options,
			grants: [
				{ resource_uid: "rule:default:big", permission_types: ["rule_view", "rule_modify"] },
				{ resource_uid: "action:default:chatty", permission_types: ["action_execute"] },
			],
		},
	),
);

webTest("the page shows what the service warns of when a rule is changed", () =>
	withWeb(async (web) => {
		const root = await withRule(web);
		const rule = { name: "odd", enabled: true, trigger: { type: "default.sighted" } };
		const action = { ref: "default.chatty", parameters: { text: "seen", colour: "grey" } };
		assert.equal((await web.ask(root, "POST", "/v1/rules", { ...rule, action })).status, 201);
		const page = await web.open("root", "/rules/default.odd");
		await page.getByRole("button", { name: "Disable" }).click();
		await page.getByText(/^Warning: .*colour/).waitFor();
		await assertClean(page);
	}, options),
);

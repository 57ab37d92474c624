import * as assert from "node:assert/strict";
import { hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, assertFitsPhone, goTo, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

/** A webhook that keeps its deliveries, a timer, and a delivery. */
async function withSources({ ask, signIn }: WebUnderTest): Promise<void> {
	const root = await signIn("root");
	const send = async (path: string, body: object) => {
		const answer = await ask(root, "POST", `/v1${path}`, body);
		assert.ok(answer.status < 300, JSON.stringify(answer.body));
	};
	const action = { ref: "default.speak" };
	await send("/rules", {
		name: "posted",
		enabled: true,
		trigger: { type: "core.svc.webhook", parameters: { url: "hooks/sample", ledger: true } },
		action,
	});
	await send("/rules", {
		name: "hourly",
		enabled: true,
		trigger: { type: "core.svc.IntervalTimer", parameters: { unit: "hours", delta: 1 } },
		action,
	});
	await send("/webhooks/hooks/sample", { said: hostileText.replace("\u0000", "") });
}

webTest("a delivery leads to its event, to a test of the rule with it, and is delivered once more", () =>
	withWeb(async (web) => {
		await withSources(web);
		const page = await web.open("root", "/events/webhooks");
		await page.getByText("/webhooks/hooks/sample").waitFor();
		await assertClean(page);
		await page.getByRole("table").getByRole("link", { name: "Deliveries" }).click();
		await page.getByRole("cell", { name: "accepted" }).waitFor();
		assert.match(page.url(), /#\/events\/deliveries\?url=hooks%2Fsample$/);
		await page.getByRole("button", { name: /^Replay/ }).click();
		await page.getByRole("cell", { name: "replayed" }).waitFor();
		await assertClean(page);
		await page.getByRole("link", { name: "Event, to test rules with" }).last().click();
		await page.getByText("onerror").first().waitFor();
		assert.notEqual(await page.title(), "taken");
		await assertClean(page);
		const before = page.url();
		await page.getByRole("link", { name: "Test default.posted with this event" }).click();
		await page.getByText("The rule would act").waitFor();
		await page.goBack();
		await page.getByRole("button", { name: "Emit again" }).click();
		await page.getByText("The event was emitted again").waitFor();
		assert.notEqual(page.url(), before);
		await page.getByText("re_emitted_by").waitFor();
		await page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: "Events" }).click();
		await page.getByRole("table", { name: "Events" }).locator("tbody tr").nth(2).waitFor();
		await assertClean(page);
	}),
);

webTest("events, timers, webhooks, rules and the audit record name triggers by what they are, and by the rules that use them", () =>
	withWeb(
		async (web) => {
			await withSources(web);
			const page = await web.open("root", "/events/latest");
			const table = (name: string) => page.getByRole("table", { name });
			await table("Events").getByRole("link", { name: "webhook hooks/sample" }).click();
			await page.getByRole("heading", { name: "webhook hooks/sample" }).waitFor();
			await assertClean(page);
			await assertFitsPhone(page);
			await goTo(page, "/events/timers");
			await table("Timers").getByRole("link", { name: "every hour" }).waitFor();
			await table("Timers").getByRole("link", { name: "default.hourly" }).click();
			// The page of the timers has this link as well, so wait for the page of the rule first.
			await page.getByRole("heading", { name: "default.hourly" }).waitFor();
			await page.getByRole("link", { name: "every hour" }).waitFor();
			await assertClean(page);
			await goTo(page, "/events/webhooks");
			await table("Webhooks").getByRole("link", { name: "default.posted" }).waitFor();
			await goTo(page, "/rules");
			await table("Rules").getByRole("cell", { name: "webhook hooks/sample" }).waitFor();
			await goTo(page, "/audit?kind=trigger");
			await table("Entries").getByText("every hour", { exact: true }).waitFor();
			await assertClean(page);
			const viewer = await web.open("ann", "/events/latest");
			await viewer
				.getByRole("table", { name: "Events" })
				.getByRole("link", { name: /^core\.[0-9a-f]{8}-/ })
				.waitFor();
			assert.equal(await viewer.getByText("webhook hooks/sample").count(), 0);
		},
		{ grants: [{ permission_types: ["trigger_instance_list"] }] },
	),
);

webTest("timers say when they fire, sensors how they do; they are switched by who may", () =>
	withWeb(
		async (web) => {
			await withSources(web);
			const page = await web.open("root", "/events/timers");
			await page.getByText("every hour").waitFor();
			await assertClean(page);
			await page.getByRole("link", { name: "Sensors" }).click();
			await page.getByRole("button", { name: "Disable default.watcher" }).click();
			await page.getByRole("button", { name: "Enable default.watcher" }).waitFor();
			await assertClean(page);
			const viewer = await web.open("olga", "/events/sensors");
			await viewer.getByRole("cell", { name: "default.watcher" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /able / }).count(), 0);
			const somebody = await web.open("ann", "/events");
			await somebody.getByText("every hour").waitFor();
			assert.deepEqual(await somebody.getByRole("navigation", { name: "Views of events" }).getByRole("link").allTextContents(), ["Timers"]);
			await somebody.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: "Events" }).waitFor();
			await assertClean(somebody);
		},
		{ grants: [{ permission_types: ["timer_list"] }] },
	),
);

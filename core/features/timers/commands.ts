import { withExamples } from "../../cli/commands/examples.ts";
import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { toTablePage } from "../../cli/print-records.ts";
import { createTimerClient } from "./client.ts";

const columns = ["title", "rules", "next_fire_at", "ref"];
const attributes = ["id", "ref", "title", "rules", "type", "parameters", "next_fire_at", "last_fired_at", "description"];

export const addTimerCommands: AddCommands = (parent, context) => {
	const group = parent.command("timer").description("Show the timers of rules.");
	withNames(group, { path: "/timers", name: "ref" });
	const timers = new RecordCommands(group, context, { noun: "timer", createClient: createTimerClient });

	timers
		.addList<{ timerType?: string }>("List timers with the rules that use them.", columns, async (client, options) =>
			toTablePage(await client.list({ timer_type: options.timerType }), options, ({ rules, ...timer }) => ({
				...timer,
				rules: rules.join(", "),
			})),
		)
		.option("--timer-type <ref>", "list the timers of this trigger type, such as core.svc.CronTimer");
	timers.addShow("get <timers...>", "Show timers by ref or id.", attributes, (client, name) => client.get(name));
	withExamples(group, {
		list: ["svc timer list --timer-type core.svc.CronTimer"],
		get: ["svc timer get site.nightly"],
	});
};

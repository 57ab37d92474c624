import { withExamples } from "../../cli/commands/examples.ts";
import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { createTimerClient } from "./client.ts";

const columns = ["ref", "type", "parameters", "next_fire_at"];
const attributes = ["id", ...columns, "last_fired_at", "description"];

export const addTimerCommands: AddCommands = (parent, context) => {
	const group = parent.command("timer").description("Show the timers of rules.");
	withNames(group, { path: "/timers", name: "ref" });
	const timers = new RecordCommands(group, context, { noun: "timer", createClient: createTimerClient });

	timers
		.addList<{ timerType?: string }>("List timers, ordered by ref.", columns, (client, { timerType: timer_type }) =>
			client.list({ timer_type }),
		)
		.option("--timer-type <ref>", "list the timers of this trigger type, such as core.svc.CronTimer");
	timers.addShow("get <timers...>", "Show timers by ref or id.", attributes, (client, name) => client.get(name));
	withExamples(group, {
		list: ["svc timer list --timer-type core.svc.CronTimer"],
		get: ["svc timer get site.nightly"],
	});
};

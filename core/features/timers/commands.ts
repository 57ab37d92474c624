import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { createTimerClient } from "./client.ts";

const columns = ["ref", "type", "parameters", "next_fire_at"];
const attributes = ["id", ...columns, "last_fired_at", "description"];

export const addTimerCommands: AddCommands = (parent, context) => {
	const timer = parent.command("timer").description("Look at the timers that rules have made.");
	withNames(timer, { path: "/timers", name: "ref" });

	withCommonOptions(timer.command("list").description("List timers by ref."))
		.option("--timer-type <ref>", "of this trigger type, such as core.svc.CronTimer")
		.action(async (_options, command) => {
			const options = optionsOf<{ timerType?: string }>(command);
			const client = createTimerClient(await openSession(options, context));
			await printList(await client.list({ timer_type: options.timerType }), columns, options, context);
		});

	withCommonOptions(timer.command("get <timers...>").description("Show timers, by ref or id.")).action(
		async (timers: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createTimerClient(await openSession(options, context));
			for (const name of timers) {
				const record = await orNotFound(client.get(name), "Timer", name, "svc timer list");
				await printRecord(record, attributes, options, context);
			}
		},
	);
};

import { type AddCommands, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { createSensorClient } from "./client.ts";

const columns = ["ref", "pack", "description", "enabled", "state"];
const attributes = [
	...["id", "ref", "description", "entry_point", "trigger_types", "poll_interval", "enabled"],
	...["state", "state_changed_at", "restarts", "last_error", "next_start_at", "node"],
];

export const addSensorCommands: AddCommands = (parent, context) => {
	const sensor = parent.command("sensor").description("Look at sensors and switch them: sources of events that run in the service.");
	withNames(sensor, { path: "/sensortypes", name: "ref" });

	withCommonOptions(sensor.command("list").description("List sensors by ref."))
		.option("-p, --pack <pack>", "of this pack")
		.action(async (_options, command) => {
			const options = optionsOf<{ pack?: string }>(command);
			const client = createSensorClient(await openSession(options, context));
			await printList(await client.list({ pack: options.pack }), columns, options, context);
		});

	withCommonOptions(sensor.command("get <sensors...>").description("Show sensors, by ref or id, and how they do.")).action(
		async (sensors: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createSensorClient(await openSession(options, context));
			for (const name of sensors) {
				const record = await orNotFound(client.get(name), "Sensor", name, "svc sensor list");
				await printRecord(record, attributes, options, context);
			}
		},
	);

	for (const [verb, enabled] of [
		["enable", true],
		["disable", false],
	] as const) {
		const description = enabled ? "Switch sensors on." : "Switch sensors off, at once and for good.";
		withCommonOptions(sensor.command(`${verb} <sensors...>`).description(description)).action(
			async (sensors: string[], _options, command) => {
				const options = optionsOf(command);
				const client = createSensorClient(await openSession(options, context));
				for (const name of sensors) {
					const record = await orNotFound(client.setEnabled(name, enabled), "Sensor", name, "svc sensor list");
					await printRecord(record, columns, options, context);
				}
			},
		);
	}
};

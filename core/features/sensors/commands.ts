import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { createSensorClient } from "./client.ts";

const columns = ["ref", "pack", "description", "enabled", "state"];
const attributes = [
	...["id", "ref", "description", "entry_point", "trigger_types", "poll_interval", "enabled"],
	...["state", "state_changed_at", "restarts", "last_error", "next_start_at", "node"],
];

export const addSensorCommands: AddCommands = (parent, context) => {
	const group = parent.command("sensor").description("Look at sensors and switch them: sources of events that run in the service.");
	withNames(group, { path: "/sensortypes", name: "ref" });
	const sensors = new RecordCommands(group, context, { noun: "sensor", createClient: createSensorClient });

	sensors
		.addList<{ pack?: string }>("List sensors by ref.", columns, (client, { pack }) => client.list({ pack }))
		.option("-p, --pack <pack>", "of this pack");
	sensors.addShow("get <sensors...>", "Show sensors, by ref or id, and how they do.", attributes, (client, name) => client.get(name));
	sensors.addSwitches(
		"<sensors...>",
		{ enable: "Switch sensors on.", disable: "Switch sensors off, at once and for good." },
		columns,
		(client, name, enabled) => client.setEnabled(name, enabled),
	);
};

import { withExamples } from "../../cli/commands/examples.ts";
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
	const group = parent.command("sensor").description("Manage sensors, which run in the service and emit events.");
	withNames(group, { path: "/sensortypes", name: "ref" });
	const sensors = new RecordCommands(group, context, { noun: "sensor", createClient: createSensorClient });

	sensors
		.addList<{ pack?: string }>("List sensors, ordered by ref.", columns, (client, { pack }) => client.list({ pack }))
		.option("-p, --pack <pack>", "list the sensors of this pack");
	sensors.addShow("get <sensors...>", "Show sensors and their state, by ref or id.", attributes, (client, name) => client.get(name));
	sensors.addSwitches(
		"<sensors...>",
		{ enable: "Enable sensors.", disable: "Disable sensors and stop them." },
		columns,
		(client, name, enabled) => client.setEnabled(name, enabled),
	);
	withExamples(group, {
		list: ["svc sensor list"],
		get: ["svc sensor get site.disk_sensor"],
		enable: ["svc sensor enable site.disk_sensor"],
		disable: ["svc sensor disable site.disk_sensor"],
	});
};

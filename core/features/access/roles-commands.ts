import type { AddCommands } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { createAccessClient } from "./client.ts";

const assignmentColumns = ["id", "role", "user", "is_remote", "source", "description"];

interface AssignmentOptions {
	readonly role?: string;
	readonly user?: string;
	readonly source?: string;
	readonly remote?: boolean;
}

export const addRoleCommands: AddCommands = (parent, context) => {
	const roleGroup = parent.command("role").description("Look at the roles of the configuration.");
	const roles = new RecordCommands(roleGroup, context, { noun: "role", createClient: (api) => createAccessClient(api).roles });
	roles
		.addList<{ system?: boolean }>("List roles.", ["id", "name", "system", "description"], (client, { system }) => client.list({ system }))
		.option("-s, --system", "only those that are built in");

	const group = parent.command("role-assignment").description("Look at who has which role.");
	const assignments = new RecordCommands(group, context, {
		noun: "role assignment",
		createClient: (api) => createAccessClient(api).roleAssignments,
	});
	assignments
		.addList<AssignmentOptions>("List role assignments.", assignmentColumns, (client, { role, user, source, remote }) =>
			client.list({ role, user, source, remote }),
		)
		.option("-r, --role <role>", "of this role")
		.option("-u, --user <user>", "of this user; yourself unless you are an administrator")
		.option("-s, --source <source>", "from this place of the configuration, or this group")
		.option("--remote", "only those that come from groups");
	assignments.addShow("get <ids...>", "Show role assignments.", assignmentColumns, (client, id) => client.get(id));
};

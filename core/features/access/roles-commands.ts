import { withExamples } from "../../cli/commands/examples.ts";
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
	const roleGroup = parent.command("role").description("Show the roles of the configuration.");
	const roles = new RecordCommands(roleGroup, context, { noun: "role", createClient: (api) => createAccessClient(api).roles });
	roles
		.addList<{ system?: boolean }>("List roles.", ["id", "name", "system", "description"], (client, { system }) => client.list({ system }))
		.option("-s, --system", "list only the built-in roles");

	const group = parent.command("role-assignment").description("Show the role assignments of users.");
	const assignments = new RecordCommands(group, context, {
		noun: "role assignment",
		createClient: (api) => createAccessClient(api).roleAssignments,
	});
	assignments
		.addList<AssignmentOptions>("List role assignments.", assignmentColumns, (client, { role, user, source, remote }) =>
			client.list({ role, user, source, remote }),
		)
		.option("-r, --role <role>", "list the assignments of this role")
		.option("-u, --user <user>", "list the assignments of this user; default: the current user, for administrators all")
		.option("-s, --source <source>", "list the assignments from this part of the configuration or this group")
		.option("--remote", "list only the assignments that come from groups");
	assignments.addShow("get <ids...>", "Show role assignments.", assignmentColumns, (client, id) => client.get(id));
	withExamples(group, {
		list: ["svc role-assignment list", "svc role-assignment list --user maria"],
		get: ["svc role-assignment get 65f0a1b2c3d4e5f6a7b8c9d0"],
	});
	withExamples(roleGroup, {
		list: ["svc role list", "svc role list --system"],
	});
};

import { defineBody } from "../../http/body.ts";
import { answerConflict, answerJson, answerNothing, answerSelectedPage } from "../../http/openapi/responses.ts";
import { secretsQuery } from "../../http/record-visibility.ts";
import { replyNoContent } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { type Resource, toActionResource } from "../../kernel/basics/refs.ts";
import { assertNotFollowed } from "../packs/followed-pack-guard-exports.ts";
import { actionListQuery, listActions } from "./action-list.ts";
import { replyAction, replyWritten, toActions } from "./action-replies.ts";
import type { ActionInput } from "./actions-exports.ts";
import type { ActionRouteServices } from "./route-services.ts";
import { actionPart, actionSchema } from "./schemas-exports.ts";

const { defineRoute } = createRouteDeclarations<ActionRouteServices>();

const text = { type: "string" };
const notification = {
	type: "object",
	properties: { message: text, data: { type: "object" }, routes: { type: "array", items: text }, channels: { type: "array", items: text } },
	additionalProperties: false,
};
const notify = {
	type: "object",
	properties: { "on-complete": notification, "on-success": notification, "on-failure": notification },
	additionalProperties: false,
};
const tag = { type: "object", properties: { name: { ...text, maxLength: 1024 }, value: { ...text, maxLength: 1024 } } };
const dataFile = {
	type: "object",
	properties: { file_path: text, content: text },
	required: ["file_path", "content"],
	additionalProperties: false,
};

/** A client may send a record back as received, so the body may include the members that the service assigned. */
type ActionBody = ActionInput & { readonly id?: string; readonly uid?: string; readonly ref?: string };

const actionBody = defineBody<ActionBody>({
	properties: {
		id: text,
		uid: text,
		ref: text,
		name: text,
		pack: text,
		description: text,
		runner_type: text,
		entry_point: text,
		enabled: { type: "boolean" },
		parameters: { type: "object" },
		output_schema: { type: "object" },
		tags: { type: "array", items: tag, maxItems: 1_000 },
		notify,
		metadata_file: text,
		data_files: { type: "array", items: dataFile },
	},
	required: ["name", "runner_type"],
	closed: true,
});
const cloneBody = defineBody<{ readonly dest_pack: string; readonly dest_action: string; readonly overwrite?: boolean }>({
	properties: { dest_pack: text, dest_action: text, overwrite: { type: "boolean" } },
	required: ["dest_pack", "dest_action"],
	closed: true,
});
const removeBody = defineBody<{ readonly remove_files?: boolean }>({ properties: { remove_files: { type: "boolean" } }, closed: true });

export const actionRoutes = [
	defineRoute({
		method: "GET",
		path: "/actions",
		summary: "List actions, by pack and name",
		answers: { 200: answerSelectedPage(actionSchema, actionPart) },
		permission: "action_list",
		query: actionListQuery,
		handler: (context) => listActions(context, (actions) => toActions(context, actions)),
	}),
	defineRoute({
		method: "GET",
		path: "/actions/:ref",
		summary: "Get an action",
		answers: { 200: answerJson(actionSchema) },
		permission: "action_view",
		resource: findActionResource,
		query: secretsQuery,
		async handler(context) {
			return replyAction(context, await context.engine.actions.get(toRef(context)));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/actions",
		summary: "Create an action",
		description: "`data_files` (`[{file_path, content}]`) writes files below the pack's `actions` directory.",
		answers: { 201: answerJson(actionSchema), 409: answerConflict },
		permission: "action_create",
		resource: ({ body }) => toTargetResource(body.pack, body.name),
		query: secretsQuery,
		body: actionBody,
		async handler(context) {
			const { engine, principal, body } = context;
			await assertNotFollowed(engine, body.pack ?? "default");
			return replyWritten(context, await engine.actions.create(toInput(body), principal), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/actions/:ref",
		summary: "Replace an action",
		answers: { 200: answerJson(actionSchema), 409: answerConflict },
		permission: "action_modify",
		resource: findActionResource,
		query: secretsQuery,
		body: actionBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			const old = await engine.actions.get(toRef(context));
			const pack = body.pack ?? old.pack;
			const target = toTargetResource(pack, body.name);
			// A new name or pack makes the action another resource, which requires the permission to create an action.
			if (target.uid !== toActionResource(old.ref).uid) guard.assert(principal, "action_create", target);
			await assertNotFollowed(engine, old.pack, pack);
			return replyWritten(context, await engine.actions.update(toRef(context), toInput(context.body), principal));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/actions/:ref",
		summary: "Delete an action",
		description: 'A body of `{"remove_files": true}` also deletes its files.',
		answers: { 204: answerNothing() },
		permission: "action_delete",
		resource: findActionResource,
		body: removeBody,
		async handler(context) {
			const { engine, principal, body } = context;
			await assertNotFollowed(engine, (await engine.actions.get(toRef(context))).pack);
			await engine.actions.remove(toRef(context), { removeFiles: body.remove_files ?? false }, principal);
			return replyNoContent();
		},
	}),
	defineRoute({
		method: "POST",
		path: "/actions/:ref/clone",
		summary: "Copy an action",
		description: "Body: `{dest_pack, dest_action, overwrite}`.",
		answers: { 201: answerJson(actionSchema), 409: answerConflict },
		permission: "action_create",
		resource: ({ body }) => toTargetResource(body.dest_pack, body.dest_action),
		query: secretsQuery,
		body: cloneBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			guard.assert(principal, "action_view", await findActionResource(context));
			if (body.overwrite === true) guard.assert(principal, "action_delete", toTargetResource(body.dest_pack, body.dest_action));
			await assertNotFollowed(engine, body.dest_pack);
			const cloned = await engine.actions.clone(toRef(context), { overwrite: false, ...body }, principal);
			return replyAction(context, cloned, 201);
		},
	}),
];

/** Returns the action in the path as the resource of permission checks. */
export async function findActionResource(context: Pick<RouteContext<ActionRouteServices>, "engine" | "path">): Promise<Resource> {
	return toActionResource((await context.engine.actions.get(toRef(context))).ref);
}

function toTargetResource(pack = "default", name: string): Resource {
	return { uid: `action:${pack}:${name}`, pack };
}

export function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

function toInput({ id: _id, uid: _uid, ref: _ref, ...input }: ActionBody): ActionInput {
	return input;
}

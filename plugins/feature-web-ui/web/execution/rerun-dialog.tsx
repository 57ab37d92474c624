import { useSignal } from "@preact/signals";
import { type JsonObject, parseJson, stringifyJson } from "../../../../core/contract/index.ts";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { ActionForm } from "../actions/run-form.tsx";
import { toActionUid } from "../kit/permissions.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Dialog } from "../parts/confirm.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import { rerun } from "./rerun.ts";

interface RerunProps {
	readonly run: ExecutionRecord;
	readonly onClose: () => void;
}

/**
 * Runs an execution again with other parameters, entered in a form or as JSON. Only changed parameters are sent, and the service merges
 * them into the original ones. Therefore secrets that are displayed masked keep their values.
 */
export function RerunDialog({ run, onClose }: RerunProps) {
	const mayRead = session.may("action_view", toActionUid(run.action.ref));
	const isJson = useSignal(!mayRead);
	return (
		<Dialog title={texts.rerunTitle(run.action.ref)} onClose={onClose}>
			{mayRead && (
				<p>
					<button type="button" onClick={() => (isJson.value = !isJson.value)}>
						{isJson.value ? texts.asForm : texts.asJson}
					</button>
				</p>
			)}
			{isJson.value ? <JsonForm run={run} onClose={onClose} /> : <ParameterForm run={run} onClose={onClose} />}
		</Dialog>
	);
}

function ParameterForm({ run, onClose }: RerunProps) {
	const { ref, parameters } = run.action;
	const schema = useResource((signal) => client.actions.parameters(ref, { signal }), [ref]);
	return (
		<Loaded resource={schema}>
			{(whole) => (
				<ActionForm
					schema={whole}
					own={parameters}
					initial={run.parameters ?? {}}
					action={common.run}
					onSubmit={async (changed) => {
						if (await rerun(run.id, { parameters: changed })) onClose();
					}}
					onCancel={onClose}
				/>
			)}
		</Loaded>
	);
}

function JsonForm({ run, onClose }: RerunProps) {
	const before = run.parameters ?? {};
	const text = useSignal(stringifyJson(before, 2));
	const problem = useSignal("");
	const submit = async () => {
		try {
			const parameters = toChanged(before, parseObject(text.value));
			if (await rerun(run.id, { parameters })) onClose();
		} catch (error) {
			problem.value = error instanceof Error ? error.message : String(error);
		}
	};
	return (
		<form
			onSubmit={(event) => {
				event.preventDefault();
				void submit();
			}}
		>
			<label>
				<span class="dialog-field">{texts.jsonField}</span>
				<textarea spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
			</label>
			{problem.value !== "" && (
				<p class="bad-text" role="alert">
					{problem.value}
				</p>
			)}
			<div class="dialog-actions">
				<button type="button" onClick={onClose}>
					{common.cancel}
				</button>
				<button type="submit" class="primary">
					{common.run}
				</button>
			</div>
		</form>
	);
}

function parseObject(text: string): JsonObject {
	const value = parseJson(text);
	if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
	throw new Error(texts.notObject);
}

/** Returns the parameters whose values have changed. */
function toChanged(before: JsonObject, after: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(after).filter(([name, value]) => stringifyJson(before[name]) !== stringifyJson(value)));
}

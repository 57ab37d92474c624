import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { NewApiKeyRecord } from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { addressBar, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Dialog } from "../parts/confirm.tsx";
import * as texts from "../texts/api-keys.ts";
import * as common from "../texts/common.ts";
import { keyMembers, toKeyInput } from "./key-form.ts";

const forOthers: ParameterDefinitions = { user: { type: "string", description: texts.userField }, ...keyMembers };

/** Creates a key and shows its value once. The service stores no readable copy and cannot show it again. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
	const made = useSignal<NewApiKeyRecord | undefined>(undefined);
	const close = () => {
		const id = made.value?.id;
		onClose();
		if (id !== undefined) addressBar.go(session.may("api_key_view") ? toPath("/apikeys/:id", { id }) : "/apikeys");
	};
	return (
		<Dialog title={made.value === undefined ? texts.createTitle : texts.createdTitle} onClose={close}>
			{made.value === undefined ? (
				<SchemaForm
					schema={session.may("admin") ? forOthers : keyMembers}
					action={common.create}
					onSubmit={async (values) => {
						made.value = await client.apiKeys.create(toKeyInput(values));
					}}
					onCancel={onClose}
				/>
			) : (
				<MadeKey text={made.value.key ?? ""} onClose={close} />
			)}
		</Dialog>
	);
}

function MadeKey({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
	const field = useRef<HTMLInputElement>(null);
	const isCopied = useSignal(false);
	const copy = async () => {
		field.current?.select();
		try {
			await navigator.clipboard.writeText(text);
			isCopied.value = true;
		} catch {
			// The browser may deny access to the clipboard. The key is selected, so that the user can copy it with the keyboard.
		}
	};
	return (
		<>
			<p>{texts.shownOnce}</p>
			<div class="made-key">
				<input ref={field} class="mono" aria-label={texts.key} readOnly value={text} />
				<button type="button" onClick={() => void copy()}>
					{texts.copy}
				</button>
			</div>
			<p role="status" class="faint">
				{isCopied.value && texts.copied}
			</p>
			<div class="dialog-actions">
				<button type="button" class="primary" onClick={onClose}>
					{texts.done}
				</button>
			</div>
		</>
	);
}

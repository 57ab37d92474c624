import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as common from "../texts/common.ts";
import * as texts from "../texts/frame.ts";

interface DialogProps {
	readonly title: string;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

/**
 * Shows a modal dialog: the rest of the page is inert, the keyboard focus stays inside, and Escape closes it. The dialog is open as long as
 * it is rendered.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		const before = document.activeElement;
		element.current?.showModal();
		return () => {
			if (before instanceof HTMLElement) before.focus();
		};
	}, []);
	return (
		<dialog ref={element} aria-label={title} onClose={onClose}>
			<h2>{title}</h2>
			{children}
		</dialog>
	);
}

interface ConfirmProps {
	readonly title: string;
	/** Label of the button that confirms, such as `Cancel 3 runs`. */
	readonly action: string;
	readonly isDangerous?: boolean;
	/** Label of the button that closes the dialog. Default: `Cancel`. */
	readonly dismiss?: string;
	readonly onConfirm: () => void;
	readonly onClose: () => void;
	readonly children?: ComponentChildren;
}

/** Shows a dialog in which the user confirms an operation. */
export function Confirm({ title, action, isDangerous = false, dismiss = common.cancel, onConfirm, onClose, children }: ConfirmProps) {
	return (
		<Dialog title={title} onClose={onClose}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					onConfirm();
					onClose();
				}}
			>
				{children}
				<div class="dialog-actions">
					<button type="button" onClick={onClose}>
						{dismiss}
					</button>
					<button type="submit" class={isDangerous ? "danger" : "primary"}>
						{action}
					</button>
				</div>
			</form>
		</Dialog>
	);
}

interface ConfirmWithReasonProps extends Omit<ConfirmProps, "onConfirm" | "children"> {
	/** Receives the reason, or undefined if the user entered none. */
	readonly onConfirm: (reason: string | undefined) => void;
}

/** Shows a confirmation dialog with an optional reason. The service stores the reason with the name of the user. */
export function ConfirmWithReason({ onConfirm, ...confirm }: ConfirmWithReasonProps) {
	const reason = useSignal("");
	return (
		<Confirm {...confirm} onConfirm={() => onConfirm(reason.value.trim() || undefined)}>
			<label>
				<span class="dialog-field">{texts.reason}</span>
				<input
					type="text"
					class="dialog-input"
					maxLength={1_000}
					value={reason.value}
					onInput={(event) => (reason.value = event.currentTarget.value)}
				/>
			</label>
		</Confirm>
	);
}

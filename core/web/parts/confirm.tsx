import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface DialogProps {
	readonly title: string;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

/** A dialog: the rest of the page waits, the keyboard stays in it, Escape leaves it. Shown as long as it is drawn. */
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
	/** What happens, in the words of a button: `Cancel 3 runs`. */
	readonly action: string;
	readonly isDangerous?: boolean;
	readonly onConfirm: () => void;
	readonly onClose: () => void;
	readonly children?: ComponentChildren;
}

/** Asks before something is done that cannot be taken back. */
export function Confirm({ title, action, isDangerous = false, onConfirm, onClose, children }: ConfirmProps) {
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
						Do not
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
	/** The reason is undefined if none was written. */
	readonly onConfirm: (reason: string | undefined) => void;
}

/** Asks before something is done, and why: the reason is kept with the name of the user. */
export function ConfirmWithReason({ onConfirm, ...confirm }: ConfirmWithReasonProps) {
	const reason = useSignal("");
	return (
		<Confirm {...confirm} onConfirm={() => onConfirm(reason.value.trim() || undefined)}>
			<label>
				<span class="dialog-field">Reason, kept with your name; may stay empty</span>
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

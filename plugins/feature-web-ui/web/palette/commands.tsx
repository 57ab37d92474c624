import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PageDefinition } from "../kit/page.ts";
import { Lazy } from "../parts/lazy.tsx";
import * as texts from "../texts/frame.ts";
import { type Command, toCommand } from "./keys.ts";

const loadPalette = async () => (await import("./palette.tsx")).Palette;
const loadKeyHelp = async () => (await import("./key-help.tsx")).KeyHelp;

/** Handles the commands that are available on every page: keyboard shortcuts and the buttons in the header. */
export function Commands({ pages }: { readonly pages: readonly PageDefinition[] }) {
	const shown = useSignal<Command | undefined>(undefined);
	const onClose = () => (shown.value = undefined);
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => {
			const command = toCommand(event);
			if (command === undefined) return;
			event.preventDefault();
			if (command === "filter") document.querySelector<HTMLElement>("main search input, main search select")?.focus();
			else shown.value = command;
		};
		addEventListener("keydown", onKey);
		return () => removeEventListener("keydown", onKey);
	}, [shown]);
	return (
		<>
			<button type="button" class="palette-button" aria-keyshortcuts="Control+K Meta+K" onClick={() => (shown.value = "palette")}>
				{texts.goTo} <kbd>{texts.goToKey}</kbd>
			</button>
			<button type="button" class="quiet" aria-label={texts.keys} aria-keyshortcuts="?" onClick={() => (shown.value = "keys")}>
				?
			</button>
			{shown.value === "palette" && <Lazy load={loadPalette} props={{ pages, onClose }} />}
			{shown.value === "keys" && <Lazy load={loadKeyHelp} props={{ onClose }} />}
		</>
	);
}

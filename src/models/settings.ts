// Owns which settings a model may be asked with. Pure; what a setting means is the adapter's business.
import { describe, TroupeError } from '../base/failures.ts';
import type { ModelSettings } from '../protocol/model-settings.ts';
import type { SettingName } from './model.ts';

/** Throws `model_setting_refused`, naming the setting and the value seen, when one is set that the model's API refuses. */
export function checkSettings(
  model: string,
  settings: ModelSettings,
  refused: readonly SettingName[],
): void {
  for (const name of refused) {
    const value = settings[name];
    if (value === undefined) continue;
    throw new TroupeError(
      'model_setting_refused',
      `${name} is ${describe(value)}, and the API of ${model} refuses it; leave it out or choose another model`,
      { detail: { setting: name, model } },
    );
  }
}

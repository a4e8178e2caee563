//! What a network says of a position.

/// A network's answer: a logit for every entry of the policy, then three for win, draw and loss.
pub trait Answer {
    /// The logit of one entry of the policy.
    fn logit(&self, index: usize) -> f32;
    /// The logits of win, draw and loss for the player to move.
    fn outcome(&self) -> [f32; 3];

    /// What the position is worth to the player to move, from -1 to 1.
    fn value(&self) -> f32 {
        let [win, draw, loss] = chances(self.outcome());
        debug_assert!((win + draw + loss - 1.0).abs() < 1e-3);
        win - loss
    }
}

/// Logits as probabilities.
pub fn chances(logits: [f32; 3]) -> [f32; 3] {
    let most = logits.iter().fold(f32::MIN, |most, logit| most.max(*logit));
    let parts = logits.map(|logit| (logit - most).exp());
    let sum: f32 = parts.iter().sum();
    parts.map(|part| part / sum)
}

/// An answer in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Single<'a>(pub &'a [f32]);

impl Answer for Single<'_> {
    fn logit(&self, index: usize) -> f32 {
        self.0[index]
    }

    fn outcome(&self) -> [f32; 3] {
        let [.., win, draw, loss] = *self.0 else { return [0.0; 3] };
        [win, draw, loss]
    }
}

/// An answer in half precision, as it comes from a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Half<'a>(pub &'a [u16]);

impl Answer for Half<'_> {
    fn logit(&self, index: usize) -> f32 {
        from_half(self.0[index])
    }

    fn outcome(&self) -> [f32; 3] {
        let [.., win, draw, loss] = *self.0 else { return [0.0; 3] };
        [win, draw, loss].map(from_half)
    }
}

/// Half precision to single, exact for every finite number. Infinities come out as finite numbers
/// beyond all halves.
#[inline]
pub fn from_half(bits: u16) -> f32 {
    // Exponent and fraction move into place; the multiplication corrects the bias, and makes
    // subnormal halves normal on the way.
    let size = f32::from_bits(u32::from(bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    if bits & 0x8000 == 0 { size } else { -size }
}

/// Single precision to half, rounded to nearest; what is too large becomes the largest half.
#[inline]
pub fn to_half(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let size = value.abs().min(65_504.0);
    if size < 6.103_515_6e-5 {
        // Subnormal: in units of the smallest half.
        return sign | (size * 16_777_216.0).round_ties_even() as u16;
    }
    let bits = size.to_bits();
    let rounded = bits + 0x0fff + (bits >> 13 & 1);
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

/// Whether a half is a number at all.
#[inline]
pub fn is_finite_half(bits: u16) -> bool {
    bits & 0x7c00 != 0x7c00
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in (0..=u16::MAX).filter(|bits| is_finite_half(*bits)) {
            let value = from_half(bits);
            assert_eq!(to_half(value), bits, "{value}");
        }
        assert_eq!(from_half(0x3c00), 1.0);
        assert_eq!(from_half(0xc000), -2.0);
        assert_eq!(to_half(1.0 / 3.0), 0x3555);
        assert_eq!(to_half(1e9), 0x7bff);
    }
}
